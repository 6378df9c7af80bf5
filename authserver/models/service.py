"""The platform's web services; a service's code is the scope that asks for it."""

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q

REFRESH_TOKEN_SCOPE = "refresh_token"  # noqa: S105 -- the name of a scope
CONTEXT_SCOPE_PREFIX = "context:"
OPENID_SCOPE = "openid"
IDENTITY_SCOPES = (OPENID_SCOPE, "profile", "email")
"""What asks for the identity of the user, if ``openid`` is among them (OpenID Connect)."""


def validate_not_a_switch(code: str) -> None:
    """Refuse the reserved scope tokens (decisions 3.5)."""
    reserved = code in {REFRESH_TOKEN_SCOPE, *IDENTITY_SCOPES}
    if reserved or code.startswith(CONTEXT_SCOPE_PREFIX):
        raise ValidationError("%(code)s is not a service.", params={"code": code})


class Service(models.Model):
    """Something an application can be allowed to use, explained in plain words."""

    code = models.CharField(
        max_length=100,
        unique=True,
        validators=[
            RegexValidator(r"^[A-Za-z0-9_.:-]+\Z", "Letters, digits, and _ . : - only."),
            validate_not_a_switch,
        ],
    )
    name = models.CharField(max_length=100)
    description = models.CharField(
        max_length=300,
        blank=True,
        help_text="What the application will be able to do, as the grant page says it.",
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(code__regex=r"^[A-Za-z0-9_.:-]+$"),
                name="service_code_is_a_scope",
            ),
            models.CheckConstraint(
                condition=~Q(code=REFRESH_TOKEN_SCOPE)
                & ~Q(code__startswith=CONTEXT_SCOPE_PREFIX),
                name="service_code_is_not_a_switch",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.code})"
