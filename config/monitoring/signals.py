"""What apps and Django say happened, counted."""

from typing import Any

from django.contrib.auth.signals import user_logged_in, user_login_failed
from django.db.backends.signals import connection_created

from authserver.accounts.login_limits import login_refused
from authserver.oauth.tokens import tokens_issued
from calendar_events.api.streams import feed_refused
from config.monitoring import metrics, statements
from platform_errors.signing.nonces import nonce_claimed


def connect() -> None:
    """Listen."""
    user_logged_in.connect(_logged_in, dispatch_uid=f"{__name__}.logged_in")
    user_login_failed.connect(_login_failed, dispatch_uid=f"{__name__}.login_failed")
    login_refused.connect(_login_refused, dispatch_uid=__name__)
    tokens_issued.connect(_tokens_issued, dispatch_uid=__name__)
    nonce_claimed.connect(_nonce_claimed, dispatch_uid=__name__)
    feed_refused.connect(_feed_refused, dispatch_uid=__name__)
    connection_created.connect(statements.watch, dispatch_uid=__name__)


def _logged_in(**_kwargs: Any) -> None:
    metrics.logins.labels("succeeded").inc()


def _login_failed(**_kwargs: Any) -> None:
    metrics.logins.labels("failed").inc()


def _login_refused(**_kwargs: Any) -> None:
    metrics.logins.labels("locked").inc()


def _tokens_issued(grant_type: str, **_kwargs: Any) -> None:
    metrics.tokens_issued.labels(grant_type).inc()


def _nonce_claimed(*, is_first: bool, **_kwargs: Any) -> None:
    metrics.nonces.labels("stored" if is_first else "replayed").inc()


def _feed_refused(**_kwargs: Any) -> None:
    metrics.feeds_refused.inc()
