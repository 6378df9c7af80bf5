"""Authorization codes and tokens; only SHA-256 digests of them are ever stored."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Self, TypeVar

from django.db import models, transaction
from django.db.models import Q
from django.utils import timezone
from oauth2_provider.models import (
    AbstractAccessToken,
    AbstractGrant,
    AbstractIDToken,
    AbstractRefreshToken,
    TokenChecksumField,
)

from authserver.models.institution import Institution
from authserver.models.service_key import ServiceKey


class PendingRequest(models.Model):
    """A validated authorization request while the user chooses, logs in and decides.

    It lives here and not in form fields or ``next``, so that nothing in it can change
    between the pages. ``binding`` ties it to one browser; it is consumed once, by grant or
    denial.
    """

    handle = models.CharField(max_length=64, unique=True)
    """SHA-256 of the random handle that the pages carry."""
    binding = models.CharField(max_length=64)
    """SHA-256 of a random value that only this browser's session holds."""
    key = models.ForeignKey(ServiceKey, on_delete=models.CASCADE, related_name="+")
    institution = models.ForeignKey(
        Institution, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    redirect_uri = models.TextField()
    scope = models.TextField()
    """The requested scope tokens in request order, one space between."""
    state = models.TextField(blank=True)
    code_challenge = models.CharField(max_length=43, blank=True)
    """Empty only for an old-generation key with a secret."""
    openid = models.JSONField(null=True, blank=True)
    """What OpenID Connect adds to the request; null without ``openid`` in the scope."""
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(db_index=True)
    consumed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "authorization request"
        constraints = [
            models.CheckConstraint(
                condition=Q(handle__regex=r"^[0-9a-f]{64}$"),
                name="pending_handle_is_a_digest",
            ),
        ]

    def __str__(self) -> str:
        """Never the handle."""
        return f"Pending request #{self.pk}"


AnyToken = TypeVar("AnyToken", bound=models.Model)
# What is recorded of a revoked token's owner.
_OWNER = ("user__login", "institution__registry_id")


class RedeemableQuerySet(models.QuerySet[AnyToken]):
    """What a client redeems."""

    def with_holder(self) -> Self:
        """Fetch user and institution too, without the password hash."""
        return self.select_related("user", "institution").defer("user__password")


class Grant(AbstractGrant):
    """An authorization code (spec 2.1); ``code`` holds its digest.

    A redeemed grant is kept, so that a replay is recognised and everything issued from it
    can be revoked through ``token_family``.
    """

    code = models.CharField(max_length=64)
    institution = models.ForeignKey(Institution, on_delete=models.CASCADE, related_name="+")
    token_family = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    redeemed_at = models.DateTimeField(null=True, blank=True)
    """When the code was redeemed, or invalidated; either way it is used."""
    failed_verifiers = models.PositiveSmallIntegerField(default=0)
    authentication = models.JSONField(null=True, blank=True)
    """The claims of the ID token about the sign-in; null without OpenID Connect."""

    objects = RedeemableQuerySet["Grant"].as_manager()

    class Meta(AbstractGrant.Meta):
        swappable = "OAUTH2_PROVIDER_GRANT_MODEL"
        verbose_name = "authorization code"
        constraints = [
            # Not ``unique=True``: on PostgreSQL that makes a second index for LIKE.
            models.UniqueConstraint(fields=["code"], name="grant_code_unique"),
            models.CheckConstraint(
                condition=Q(code__regex=r"^[0-9a-f]{64}$"), name="grant_code_is_a_digest"
            ),
        ]
        indexes = [models.Index(fields=["expires"], name="grant_by_expiry")]


class TokenQuerySet(RedeemableQuerySet[AnyToken]):
    """Queries of tokens of either kind."""

    def by_digest(self, digest: str) -> AnyToken | None:
        """Return a token with its user and institution."""
        rows = self.filter(token_checksum=digest).select_related("user", "institution")
        return next(iter(rows.only("application_id", "token_family", *_OWNER)), None)


class AccessTokenQuerySet(TokenQuerySet["AccessToken"]):
    """Queries of access tokens."""

    def live(self, now: datetime) -> AccessTokenQuerySet:
        """Tokens that were neither revoked nor have expired."""
        return self.filter(revoked_at__isnull=True, expires__gt=now)


class AccessToken(AbstractAccessToken):
    """A bearer token; ``token`` stays empty, ``token_checksum`` is its digest.

    ``user`` is empty for ``client_credentials``. Revoking marks the row: deleting it would
    make a revoked token indistinguishable from one that never was.
    """

    token_checksum = TokenChecksumField(max_length=64)
    institution = models.ForeignKey(Institution, on_delete=models.CASCADE, related_name="+")
    token_family = models.UUIDField(null=True, blank=True, editable=False)
    """Of the grant it descends from; empty for ``client_credentials``."""
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = AccessTokenQuerySet.as_manager()

    class Meta(AbstractAccessToken.Meta):
        swappable = "OAUTH2_PROVIDER_ACCESS_TOKEN_MODEL"
        constraints = [
            models.UniqueConstraint(fields=["token_checksum"], name="access_token_unique"),
            models.CheckConstraint(
                condition=Q(("token", ""), ("token_checksum__regex", r"^[0-9a-f]{64}$")),
                name="access_token_is_only_a_digest",
            ),
        ]
        indexes = [
            models.Index(fields=["token_family"], name="access_token_by_family"),
            models.Index(fields=["expires"], name="access_token_by_expiry"),
        ]

    def is_valid(self, scopes: list[str] | None = None) -> bool:
        """Return whether the token works; the toolkit's rows are deleted when revoked."""
        return self.revoked_at is None and super().is_valid(scopes)

    def revoke(self) -> None:
        """Revoke the token with its family; the toolkit's deletes the row alone."""
        revoke_family(self.token_family, timezone.now())
        type(self).objects.filter(pk=self.pk, revoked_at__isnull=True).update(
            revoked_at=timezone.now()
        )


class RefreshTokenQuerySet(TokenQuerySet["RefreshToken"]):
    """Queries of refresh tokens."""

    def live(self, now: datetime) -> RefreshTokenQuerySet:
        """Tokens that were neither used, revoked nor have expired."""
        return self.filter(revoked__isnull=True, expires_at__gt=now)


class RefreshToken(AbstractRefreshToken):
    """A refresh token; used once, replaced by the next of its family.

    ``expires_at`` is copied along the family: its lifetime is absolute and rotation does
    not prolong it. ``revoked`` is set by use as well, so that a second use is recognised.
    """

    institution = models.ForeignKey(Institution, on_delete=models.CASCADE, related_name="+")
    scope = models.TextField()
    expires_at = models.DateTimeField()
    revoked = models.DateTimeField(null=True, blank=True)

    objects = RefreshTokenQuerySet.as_manager()

    class Meta(AbstractRefreshToken.Meta):
        swappable = "OAUTH2_PROVIDER_REFRESH_TOKEN_MODEL"
        unique_together = ()
        constraints = [
            models.UniqueConstraint(fields=["token_checksum"], name="refresh_token_unique"),
            models.CheckConstraint(
                condition=Q(("token", ""), ("token_checksum__regex", r"^[0-9a-f]{64}$")),
                name="refresh_token_is_only_a_digest",
            ),
        ]
        indexes = [
            models.Index(fields=["token_family"], name="refresh_token_by_family"),
            models.Index(fields=["expires_at"], name="refresh_token_by_expiry"),
        ]

    @classmethod
    def revoke_family(cls, token_family: uuid.UUID | None) -> None:
        """Revoke every token that descends from one grant; ``None`` revokes nothing.

        The toolkit's own finds access tokens through ``access_token``, which is not used.
        """
        revoke_family(token_family, timezone.now())

    def revoke(self) -> None:
        """Revoke the token with its family; the toolkit's leaves access tokens alive."""
        if self.token_family is not None:
            self.revoke_family(self.token_family)
        else:
            type(self).objects.filter(pk=self.pk, revoked__isnull=True).update(
                revoked=timezone.now()
            )


class IDToken(AbstractIDToken):
    """Unused: ID tokens are not stored. The toolkit swaps its models only together."""

    class Meta(AbstractIDToken.Meta):
        swappable = "OAUTH2_PROVIDER_ID_TOKEN_MODEL"


@transaction.atomic
def revoke_all(
    refresh: RefreshTokenQuerySet, access: AccessTokenQuerySet, now: datetime
) -> int:
    """Revoke these tokens and what a refresh under way makes of them; return how many.

    An ``UPDATE`` that waits for a refresh to end does not see the token that the refresh
    put in place of the old one, so it is repeated until none is live. Access tokens come
    last: no refresh is left then that could add one.
    """
    live = refresh.filter(revoked__isnull=True)
    count = 0
    while live.exists():
        count += live.update(revoked=now)
    return count + access.filter(revoked_at__isnull=True).update(revoked_at=now)


def revoke_family(family: uuid.UUID | None, now: datetime) -> int:
    """Revoke every token that descends from one grant; return how many were live."""
    if family is None:
        return 0
    return revoke_all(
        RefreshToken.objects.filter(token_family=family),
        AccessToken.objects.filter(token_family=family),
        now,
    )
