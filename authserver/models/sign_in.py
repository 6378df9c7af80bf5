"""How the people of an institution sign in: passwords here, or providers of their own."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q

from authserver.crypto import encryption, opaque
from authserver.models.institution import Institution

DISCOVERY = "/.well-known/openid-configuration"


class SignInRules(models.Model):
    """What an institution decided about signing in; without a row, the defaults count."""

    class Arrivals(models.TextChoices):
        """What happens when a provider sends a person whom nobody here knows."""

        MAKE = "make", "Make an account"
        INVITED = "invited", "Only with an invitation to an account that exists"
        NONE = "none", "Nobody new"

    institution = models.OneToOneField(
        Institution,
        on_delete=models.PROTECT,
        primary_key=True,
        related_name="sign_in_rules",
    )
    passwords = models.BooleanField(
        "passwords of this server",
        default=True,
        help_text="Switched off, people come in by a provider of the institution alone.",
    )
    arrivals = models.CharField(
        "people who arrive for the first time",
        max_length=10,
        choices=Arrivals.choices,
        default=Arrivals.INVITED,
    )

    class Meta:
        verbose_name = "sign-in of an institution"
        verbose_name_plural = "sign-in of institutions"
        constraints = [
            models.CheckConstraint(
                condition=Q(arrivals__in=["make", "invited", "none"]),
                name="sign_in_arrivals_is_known",
            ),
        ]

    def __str__(self) -> str:
        return f"Sign-in at {self.institution}"

    @classmethod
    def of(cls, institution: Institution) -> SignInRules:
        """Return what the institution decided, or the defaults."""
        stored = cls.objects.filter(institution=institution).first()
        return stored or cls(institution=institution)

    def clean(self) -> None:
        """Keep a way in. Raises ``ValidationError``."""
        super().clean()
        if not self.passwords and self.institution_id is not None:
            ways = SignInMethod.objects.usable().filter(institution_id=self.institution_id)
            if not ways.exists():
                raise ValidationError(
                    {"passwords": "Without an active provider nobody could sign in."}
                )


class SignInMethodQuerySet(models.QuerySet["SignInMethod"]):
    """Queries of ways in."""

    def usable(self) -> Self:
        """Those that are active, of institutions that are."""
        return self.filter(is_active=True, institution__is_active=True)


class SignInMethod(models.Model):
    """An identity provider of one institution, and what its claims mean here.

    django-allauth's adapter makes a ``SocialApp`` of the row for each request, so the
    secret is stored encrypted. ``provider_id`` is random and never given twice, and the
    issuer is fixed once stored: accounts are found by ``provider_id`` and subject, and no
    other issuer may ever name theirs.
    """

    class Kind(models.TextChoices):
        """The protocols, by the names of django-allauth's providers."""

        OIDC = "openid_connect", "OpenID Connect"
        SAML = "saml", "SAML 2.0"

    DEFAULT_CLAIMS: ClassVar[dict[str, dict[str, str]]] = {
        Kind.OIDC: {"username": "preferred_username", "name": "name", "email": "email"},
        Kind.SAML: {
            "username": "urn:oid:1.3.6.1.4.1.5923.1.1.1.6",  # eduPersonPrincipalName
            "name": "urn:oid:2.16.840.1.113730.3.1.241",  # displayName
            "email": "urn:oid:0.9.2342.19200300.100.1.3",  # mail
        },
    }
    FIXED: ClassVar[tuple[str, ...]] = ("institution", "kind", "issuer")
    """What cannot be changed once stored."""

    institution = models.ForeignKey(
        Institution, on_delete=models.PROTECT, related_name="sign_in_methods"
    )
    kind = models.CharField(
        "protocol", max_length=20, choices=Kind.choices, default=Kind.OIDC
    )
    name = models.CharField(
        max_length=40, help_text="As people know it, such as: University account."
    )
    provider_id = models.CharField(
        max_length=32, unique=True, editable=False, default=opaque.new_provider_id
    )
    is_active = models.BooleanField(
        "active", default=False, help_text="Try it first, then open it to people."
    )
    issuer = models.CharField(
        max_length=500,
        help_text="The issuer's address, or that of its discovery document; of SAML the "
        "entity ID. Cannot be changed later: accounts belong to it.",
    )
    client_id = models.CharField(
        "client identifier",
        max_length=191,
        blank=True,
        help_text="As the issuer calls this server. SAML has none.",
    )
    metadata_url = models.CharField(
        "metadata address",
        max_length=500,
        blank=True,
        help_text="Of SAML: fetched now, and again every few hours.",
    )
    metadata = models.TextField(
        blank=True, help_text="Of SAML: the XML itself, where there is no address."
    )
    metadata_fetched_at = models.DateTimeField(null=True, blank=True, editable=False)
    encrypted_secret = models.TextField(blank=True, default="", editable=False)
    scopes = models.CharField(
        max_length=200,
        default="openid profile email",
        help_text="What to ask for, with spaces between; openid is always asked for.",
    )
    username_claim = models.CharField(max_length=200, blank=True)
    name_claim = models.CharField(max_length=200, blank=True)
    email_claim = models.CharField("e-mail claim", max_length=200, blank=True)
    required_claims = models.TextField(
        blank=True,
        help_text="One on each line, as claim = value. People without all of them are "
        "refused. Needed where the provider serves other organisations as well, such as "
        "hd = example.edu for Google.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = SignInMethodQuerySet.as_manager()

    class Meta:
        verbose_name = "identity provider"
        constraints = [
            models.CheckConstraint(
                condition=~Q(provider_id="") & ~Q(issuer=""),
                name="sign_in_method_is_somebody",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["openid_connect", "saml"]),
                name="sign_in_method_kind_is_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} at {self.institution}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Keep what is fixed. Raises ``ValidationError``."""
        stored = SignInMethod.objects.filter(pk=self.pk).first()
        if stored is not None and any(
            getattr(stored, f"{name}_id", None) != getattr(self, f"{name}_id", None)
            or getattr(stored, name) != getattr(self, name)
            for name in self.FIXED
        ):
            raise ValidationError("Another issuer is another identity provider.")
        super().save(*args, **kwargs)

    def set_secret(self, secret: str) -> None:
        """Keep the client's secret, encrypted; the caller saves."""
        self.encrypted_secret = encryption.encrypt(secret) if secret else ""

    @property
    def secret(self) -> str:
        """The client's secret, or ``""``.

        Raises ``SecretUnreadable`` when the encryption key is gone.
        """
        stored = self.encrypted_secret
        return encryption.decrypt(stored).decode() if stored else ""

    def claim(self, field: str) -> str:
        """Return the claim that a ``username``, ``name`` or ``email`` is taken from."""
        chosen: str = getattr(self, f"{field}_claim")
        return chosen or self.DEFAULT_CLAIMS[self.kind][field]

    @property
    def requirements(self) -> list[tuple[str, str]]:
        """The claims and values that everybody must have. Raises ``ValidationError``."""
        found = []
        for line in filter(None, map(str.strip, self.required_claims.splitlines())):
            name, _, value = (part.strip() for part in line.partition("="))
            if not name or not value:
                raise ValidationError(
                    {"required_claims": f"“{line}” is not of the form claim = value."}
                )
            found.append((name, value))
        return found

    def clean(self) -> None:
        """Take the issuer from its discovery address. Raises ``ValidationError``."""
        super().clean()
        self.issuer = self.issuer.strip().removesuffix(DISCOVERY)
        _ = self.requirements


class RoleRule(models.Model):
    """A role that people get at each sign-in by what a claim says, and lose with it."""

    method = models.ForeignKey(
        SignInMethod, on_delete=models.CASCADE, related_name="role_rules"
    )
    claim = models.CharField(
        max_length=200, help_text="Such as groups, or eduPersonScopedAffiliation."
    )
    value = models.CharField(max_length=200, help_text="Compared character by character.")
    group = models.ForeignKey(
        Group, on_delete=models.CASCADE, related_name="+", verbose_name="role"
    )

    class Meta:
        verbose_name = "role by a claim"
        verbose_name_plural = "roles by claims"
        constraints = [
            models.UniqueConstraint(
                fields=["method", "claim", "value", "group"], name="role_rule_is_said_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.group} by {self.claim} = {self.value}"
