"""What a new password ends (decisions 9, "Sessions and tokens").

Whoever changes a password, or has it reset, may do so because somebody else knew the old
one: nothing that was reached with it may outlive it.
"""

from datetime import datetime
from typing import Any

from django.db import transaction

from authserver.accounts import access
from authserver.conf import conf
from authserver.models import User
from authserver.models.user import password_changed


def connect() -> None:
    password_changed.connect(
        end_what_the_old_one_opened, dispatch_uid="authserver.passwords.changed"
    )


@transaction.atomic
def end_what_the_old_one_opened(user: User, now: datetime, **_kwargs: Any) -> None:
    """End the account's sessions and, where the setting is on, its codes and tokens.

    ``User.save`` sends the signal, however the password was set.
    """
    access.end_sessions(user)
    if conf.password_change_revokes_tokens:
        access.end_tokens(user, now, reason="password_changed")
