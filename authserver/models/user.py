"""Users: unique within their institution, and everywhere by ``login``."""

from __future__ import annotations

import re
import uuid
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models, transaction
from django.db.models import Q
from django.dispatch import Signal
from django.utils import timezone

from authserver.conf import conf
from authserver.models.institution import Institution
from authserver.parsing.usernames import normalise_username

# No control characters (NUL cannot be stored) and no white space around or inside.
USERNAME = re.compile(r"^[^\s\x00-\x1f\x7f]+\Z")

password_changed = Signal()
"""Sent with ``user`` and ``now``, in the transaction that saves a new password.

``accounts.access`` listens: what it ends is recorded, and the record is above models.
"""


def new_principal_id() -> str:
    return str(uuid.uuid4())


def namespace_of(institution: Institution) -> str:
    """Return the principal namespace of an institution's users, unless one is given."""
    return f"{conf.principal_ns_prefix}{institution.registry_id}"


class UserManager(BaseUserManager["User"]):
    """How users are made and found."""

    def get_by_natural_key(self, username: str | None) -> User:
        """Return the user with this ``login``, however it was typed."""
        return self.get(login=normalise_username(username or ""))

    def at(self, institution: Institution, username: str) -> models.QuerySet[User]:
        """Return the user of this name at the institution, however typed; none or one."""
        return self.filter(institution=institution, username=normalise_username(username))

    def create_user(
        self,
        username: str,
        password: str | None = None,
        *,
        institution: Institution | None = None,
        **fields: Any,
    ) -> User:
        """Create a user of an institution, or without one an account of the platform."""
        user = self.model(username=username, institution=institution, **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(
        self, login: str, password: str | None = None, **fields: Any
    ) -> User:
        """Create an administrator; used by ``createsuperuser``."""
        return self.create_user(
            login, password, **{**fields, "is_staff": True, "is_superuser": True}
        )


# DOT ships no types, so the plugin cannot see the reverse managers of its models.
class User(AbstractBaseUser, PermissionsMixin):  # type: ignore[django-manager-missing]
    """A person who logs in.

    A user of an institution has the login ``{username}@{registryID}``; an administrator has
    no institution and a login without ``@``. The principal is what signed requests and
    token responses name the person by (spec 5.2).
    """

    login = models.CharField(max_length=200, unique=True, blank=True, editable=False)
    username = models.CharField(
        max_length=150,
        validators=[RegexValidator(USERNAME, "No spaces and no control characters.")],
    )
    institution = models.ForeignKey(
        Institution, on_delete=models.PROTECT, null=True, blank=True, related_name="users"
    )
    full_name = models.CharField(max_length=200, blank=True)
    email = models.EmailField(blank=True)
    principal_id = models.CharField(
        "principal identifier", max_length=64, default=new_principal_id
    )
    principal_namespace = models.CharField(
        max_length=200, blank=True, help_text="Left empty: made from the institution."
    )
    is_active = models.BooleanField(
        "active",
        default=True,
        help_text="A disabled user stops working at once everywhere.",
    )
    must_change_password = models.BooleanField(
        "must change the password",
        default=False,
        help_text="At the next login, before anything else.",
    )
    is_staff = models.BooleanField("may use the admin", default=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    switched_on_at = models.DateTimeField(null=True, editable=False)
    """When it was last made active again (a trigger): links of before do not work."""

    objects = UserManager()

    USERNAME_FIELD = "login"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["institution", "username"],
                name="user_username_unique_at_institution",
            ),
            models.UniqueConstraint(
                fields=["principal_id", "principal_namespace"], name="user_principal_unique"
            ),
            models.CheckConstraint(
                condition=Q(institution__isnull=False, login__contains="@")
                | (Q(institution__isnull=True) & ~Q(login__contains="@")),
                name="user_login_names_the_institution",
            ),
        ]

    def __str__(self) -> str:
        """Return the login, which is unique."""
        return self.login

    @classmethod
    def normalize_username(cls, username: str) -> str:
        """Return the one spelling of a username or login; Django calls this by name."""
        return normalise_username(username)

    def clean(self) -> None:
        """Make the derived columns, of which the login is unique.

        Not of a username that is refused anyway: a NUL in ``login`` would break the query.
        Raises ``ValidationError``.
        """
        super().clean()
        if not USERNAME.match(self.username):
            return
        self._derive()
        if self.institution is not None:  # where a constraint has words
            return
        if "@" in self.username:
            words = "Without an institution a username has no @ in it."
            raise ValidationError({"username": words})
        if User.objects.filter(login=self.login).exclude(pk=self.pk).exists():
            raise ValidationError({"username": "This username is taken there."})

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Keep ``login`` and the principal's namespace in step with their sources.

        A new password ends what the old one opened, in the same transaction.
        """
        # What ``set_password`` was given, until it is saved; ``None`` when a login hashes
        # the same password anew. (Django's own, and not in the stubs.)
        raw_password = self._password  # type: ignore[attr-defined]
        has_new_password = raw_password is not None and not self._state.adding
        self._derive()
        fields = kwargs.get("update_fields")
        if fields is not None and {"username", "institution"} & set(fields):
            kwargs["update_fields"] = {*fields, "username", "login", "principal_namespace"}
        with transaction.atomic():
            super().save(*args, **kwargs)
            if has_new_password:
                password_changed.send(User, user=self, now=timezone.now())

    def _derive(self) -> None:
        self.username = normalise_username(self.username)
        if self.institution is None:
            self.login = self.username
            return
        self.login = f"{self.username}@{self.institution.registry_id}"
        if not self.principal_namespace:
            self.principal_namespace = namespace_of(self.institution)

    def get_full_name(self) -> str:
        """Return the name, or the username where none is known."""
        return self.full_name or self.username

    def get_short_name(self) -> str:
        return self.username
