"""Service keys: the OAuth applications, and what each may ask for."""

from datetime import datetime
from typing import Any, Self

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q
from django.utils import timezone
from oauth2_provider.models import AbstractApplication

from authserver.crypto import encryption, opaque
from authserver.models.institution import Institution
from authserver.models.service import Service
from authserver.parsing.redirect_uris import is_registered, validate_redirect_address


class Status(models.TextChoices):
    """Of a key, and of a service on a key."""

    ACTIVE = "active", "Active"
    CANCELED = "canceled", "Canceled"


class ServiceKeyQuerySet(models.QuerySet["ServiceKey"]):
    """Queries of service keys."""

    def active(self, now: datetime) -> Self:
        """Keys that were neither canceled nor have expired."""
        return self.filter(
            Q(expires_at__isnull=True) | Q(expires_at__gt=now), status=Status.ACTIVE
        )


class ServiceKey(AbstractApplication):
    """An application and its key identifier (``client_id``).

    django-oauth-toolkit's own secret column stays empty: it is hashed for passwords, and a
    signature can only be verified with the secret itself. The secrets here are encrypted;
    two live during a rotation. A key with a secret is a confidential client, one without is
    public.
    """

    Status = Status

    client_id = models.CharField(
        "key identifier", max_length=255, unique=True, default=opaque.new_client_id
    )
    name = models.CharField(max_length=255)
    client_secret = models.CharField(max_length=255, blank=True, default="", editable=False)
    hash_client_secret = models.BooleanField(default=True, editable=False)
    client_type = models.CharField(
        max_length=32,
        choices=AbstractApplication.CLIENT_TYPES,
        default=AbstractApplication.CLIENT_PUBLIC,
        editable=False,
    )
    authorization_grant_type = models.CharField(
        max_length=44,
        choices=AbstractApplication.GRANT_TYPES,
        default=AbstractApplication.GRANT_AUTHORIZATION_CODE,
        editable=False,
    )
    redirect_uris = models.TextField(
        "redirect addresses",
        blank=True,
        help_text="One per line: https, a loopback address, or a private-use scheme.",
    )
    post_logout_redirect_uris = models.TextField(
        "addresses after signing out",
        blank=True,
        default="",
        help_text="One per line: where an application may send people whom it signs out "
        "(OpenID Connect).",
    )
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.ACTIVE)
    expires_at = models.DateTimeField(null=True, blank=True)
    contact_email = models.EmailField(
        "contact",
        blank=True,
        default="",
        db_default="",
        help_text="We write to this address when something that the application set up "
        "here fails, such as a webhook.",
    )
    last_used_at = models.DateTimeField("last used", null=True, blank=True, editable=False)
    """To the minute or so; empty for a key that was never used (``keys.activity``)."""
    encrypted_secret = models.TextField(blank=True, default="", editable=False)
    secret_created_at = models.DateTimeField(null=True, blank=True, editable=False)
    encrypted_previous_secret = models.TextField(blank=True, default="", editable=False)
    previous_secret_created_at = models.DateTimeField(null=True, blank=True, editable=False)
    old_generation = models.BooleanField(
        default=False,
        help_text="Open the old generation's endpoints and signing form to this key.",
    )
    claimed_https = models.BooleanField(
        default=False,
        help_text="The application claimed its https redirect addresses on the device "
        "(RFC 8252 section 7.2), so a consent may be remembered without a secret.",
    )
    institutions = models.ManyToManyField(
        Institution, through="KeyInstitution", related_name="keys", blank=True
    )
    services = models.ManyToManyField(
        Service, through="KeyService", related_name="keys", blank=True
    )

    objects = ServiceKeyQuerySet.as_manager()

    class Meta(AbstractApplication.Meta):
        swappable = "OAUTH2_PROVIDER_APPLICATION_MODEL"
        constraints = [
            models.CheckConstraint(
                condition=Q(client_secret=""), name="service_key_has_no_hashed_secret"
            ),
            models.CheckConstraint(
                condition=Q(client_type="public", encrypted_secret="")
                | (Q(client_type="confidential") & ~Q(encrypted_secret="")),
                name="service_key_type_follows_secret",
            ),
            models.CheckConstraint(
                condition=Q(encrypted_previous_secret="") | ~Q(encrypted_secret=""),
                name="service_key_previous_needs_current",
            ),
            models.CheckConstraint(
                condition=Q(status__in=Status.values), name="service_key_status_is_known"
            ),
            models.CheckConstraint(
                condition=~Q(client_id=""), name="service_key_has_an_id"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.client_id})"

    @property
    def has_secret(self) -> bool:
        """Whether the key can authenticate, and therefore must."""
        return bool(self.encrypted_secret)

    @property
    def secrets(self) -> tuple[bytes, ...]:
        """The live secrets, the current one first.

        Raises ``SecretUnreadable`` when the encryption key is gone.
        """
        stored = (self.encrypted_secret, self.encrypted_previous_secret)
        return tuple(encryption.decrypt(text) for text in stored if text)

    @property
    def redirect_addresses(self) -> list[str]:
        """The registered addresses, one by one."""
        return self.redirect_uris.split()

    def is_expired(self, now: datetime) -> bool:
        """Return whether the key's own expiry has passed."""
        return self.expires_at is not None and self.expires_at <= now

    def set_secret(self, secret: str, *, now: datetime, keep_previous: bool = True) -> None:
        """Make ``secret`` the current one; the caller saves.

        The one before stays valid beside it, so that a client can change over, until
        ``drop_previous_secret``.
        """
        if keep_previous and self.encrypted_secret:
            self.encrypted_previous_secret = self.encrypted_secret
            self.previous_secret_created_at = self.secret_created_at
        self.encrypted_secret = encryption.encrypt(secret)
        self.secret_created_at = now
        self.client_type = self.CLIENT_CONFIDENTIAL

    def rotate_secret(self, *, now: datetime, keep_previous: bool = True) -> str:
        """Make a new current secret and return it, for the only time; the caller saves."""
        secret = opaque.new_client_secret()
        self.set_secret(secret, now=now, keep_previous=keep_previous)
        return secret

    def drop_previous_secret(self) -> None:
        """End a rotation; the caller saves."""
        self.encrypted_previous_secret = ""
        self.previous_secret_created_at = None

    def clean(self) -> None:
        """Validate the redirect addresses.

        The toolkit's own validates columns that are not used here. Raises
        ``ValidationError`` on the field, naming each bad address.
        """
        problems: dict[str, list[ValidationError]] = {}
        for field in ("redirect_uris", "post_logout_redirect_uris"):
            for address in getattr(self, field).split():
                try:
                    validate_redirect_address(address)
                except ValidationError as error:
                    problems.setdefault(field, []).append(error)
        if problems:
            raise ValidationError(problems)

    def post_logout_redirect_uri_allowed(self, uri: str) -> bool:
        """Compare as redirect addresses are; the toolkit takes a longer query, too."""
        return is_registered(uri, self.post_logout_redirect_uris.split())

    def is_usable(self, request: Any) -> bool:
        """Return whether the key works; the toolkit knows no status and says yes."""
        return self.status == Status.ACTIVE and not self.is_expired(timezone.now())


class KeyInstitution(models.Model):
    """An institution whose data a key may ask for."""

    key = models.ForeignKey(
        ServiceKey, on_delete=models.CASCADE, related_name="institution_links"
    )
    institution = models.ForeignKey(
        Institution, on_delete=models.PROTECT, related_name="key_links"
    )

    class Meta:
        verbose_name = "institution on a key"
        verbose_name_plural = "institutions on keys"
        constraints = [
            models.UniqueConstraint(
                fields=["key", "institution"], name="key_institution_unique"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.key} for {self.institution}"


class KeyService(models.Model):
    """A service on a key, with its own status and expiry (decisions 2)."""

    Status = Status

    key = models.ForeignKey(
        ServiceKey, on_delete=models.CASCADE, related_name="service_links"
    )
    service = models.ForeignKey(Service, on_delete=models.PROTECT, related_name="key_links")
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.ACTIVE)
    expires_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "service on a key"
        verbose_name_plural = "services on keys"
        constraints = [
            models.UniqueConstraint(fields=["key", "service"], name="key_service_unique"),
            models.CheckConstraint(
                condition=Q(status__in=Status.values), name="key_service_status_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.service} on {self.key}"
