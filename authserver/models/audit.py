"""What happened, kept append-only; the database refuses changes too (see the migration)."""

from django.db import models
from django.db.models import Q
from django.dispatch import receiver
from django.utils import timezone

from authserver.models.institution import Institution, collect_institution_references


class AuditEvent(models.Model):
    """One thing that happened: who did it, to whose account, with which key, from where.

    People, keys and institutions are named by text and not by reference: the record must
    outlive them unchanged. ``details`` never holds a secret, a token or a code.
    """

    class Action(models.TextChoices):
        """What can happen."""

        LOGIN_SUCCEEDED = "login_succeeded", "Login succeeded"
        LOGIN_FAILED = "login_failed", "Login failed"
        LOGIN_LOCKED = "login_locked", "Login locked"
        LOGIN_UNLOCKED = "login_unlocked", "Login unlocked"
        LOGGED_OUT = "logged_out", "Logged out"
        PASSWORD_CHANGED = "password_changed", "Password changed"
        PASSWORD_RESET_ASKED = "password_reset_asked", "Password reset asked for"
        PASSWORD_RESET = "password_reset", "Password reset"
        PASSWORD_CHANGE_REQUIRED = "password_change_required", "Password change required"
        FACTOR_ADDED = "factor_added", "Second factor added"
        FACTOR_REMOVED = "factor_removed", "Second factor removed"
        FACTOR_FAILED = "factor_failed", "Second factor failed"
        FACTORS_REMOVED = "factors_removed", "Second factors removed"
        DELETION_ASKED = "deletion_asked", "Deletion asked for"
        INVITED = "invited", "Invited"
        ACCESS_GRANTED = "access_granted", "Access granted"
        ACCESS_DENIED = "access_denied", "Access denied"
        ACCESS_REVOKED = "access_revoked", "Access revoked"
        TOKEN_ISSUED = "token_issued", "Token issued"
        TOKEN_REFRESHED = "token_refreshed", "Token refreshed"
        TOKEN_REVOKED = "token_revoked", "Token revoked"
        CODE_REPLAYED = "code_replayed", "Code replayed"
        CODE_BURNED = "code_burned", "Code burned"
        REFRESH_REPLAYED = "refresh_replayed", "Refresh token replayed"
        TOKEN_REFUSED = "token_refused", "Token refused"
        CLIENT_REFUSED = "client_refused", "Client authentication failed"
        KEY_CREATED = "key_created", "Key created"
        KEY_CHANGED = "key_changed", "Key changed"
        KEY_DELETED = "key_deleted", "Key deleted"
        SECRET_CREATED = "secret_created", "Secret created"
        SECRET_ROTATED = "secret_rotated", "Secret rotated"
        SECRET_RETIRED = "secret_retired", "Secret retired"
        SECRET_LINK_MADE = "secret_link_made", "Link to a secret made"
        SECRET_SHOWN = "secret_shown", "Secret shown by a link"
        SECRET_LINK_EXPIRED = "secret_link_expired", "Link to a secret expired"
        SECRET_LINK_REVOKED = "secret_link_revoked", "Link to a secret revoked"
        SECRET_LINK_REFUSED = "secret_link_refused", "Link to a secret refused"
        ACCOUNT_CHANGED = "account_changed", "Account changed"
        ACCOUNT_MADE = "account_made", "Account made for a person who arrived"
        ACCOUNT_CONNECTED = "account_connected", "Account connected with a provider"
        ARRIVAL_REFUSED = "arrival_refused", "Arrival from a provider refused"
        ARRIVAL_TRIED = "arrival_tried", "Identity provider tried"
        PROVIDER_CHANGED = "provider_changed", "Identity provider changed"
        INSTITUTION_CHANGED = "institution_changed", "Institution changed"
        TASKS_RETRIED = "tasks_retried", "Failed tasks tried again"

    at = models.DateTimeField(default=timezone.now)
    action = models.CharField(max_length=32, choices=Action.choices)
    actor = models.CharField(max_length=255, blank=True)
    """Who did it: a login, the key of a client, ``manage.py``; or empty: not known."""
    subject = models.CharField(max_length=200, blank=True)
    """The login of the account that it concerns, if it concerns one."""
    client_id = models.CharField("key", max_length=255, blank=True)
    registry_id = models.CharField("institution", max_length=32, blank=True)
    address = models.CharField(max_length=45, blank=True)
    reason = models.CharField(max_length=64, blank=True)
    """Why it was refused or failed, as a stable word such as ``verifier_wrong``."""
    request_id = models.CharField("request identifier", max_length=64, blank=True)
    details = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(action=""), name="audit_action_is_named"),
        ]
        # Named, because ``db_index`` on text makes a second index on PostgreSQL.
        indexes = [
            models.Index(fields=["-at", "-id"], name="audit_newest_first"),
            # Also by how they begin, whatever the collation of the database.
            models.Index(
                fields=["actor", "-id"],
                opclasses=["varchar_pattern_ops", "int8_ops"],
                name="audit_by_actor",
            ),
            models.Index(
                fields=["subject", "-id"],
                opclasses=["varchar_pattern_ops", "int8_ops"],
                name="audit_by_subject",
            ),
            models.Index(fields=["client_id", "-id"], name="audit_by_key"),
            models.Index(fields=["registry_id", "-id"], name="audit_by_institution"),
            # Most rows have no reason, and nobody looks for those.
            models.Index(
                fields=["reason", "-id"], condition=~Q(reason=""), name="audit_by_reason"
            ),
            models.Index(fields=["request_id"], name="audit_by_request"),
            # One column without an index, and a search of several reads every row.
            models.Index(fields=["address", "-id"], name="audit_by_address"),
        ]

    def __str__(self) -> str:
        return f"{self.action} at {self.at:%Y-%m-%d %H:%M:%S}Z (#{self.pk})"


class RefusalCount(models.Model):
    """How often a key was refused from one address since the window began.

    Bounds how many refusals are recorded, and how many secrets may be tried.
    """

    action = models.CharField(max_length=32)
    client_id = models.CharField("key", max_length=255, blank=True)
    """Empty for all keys together that do not exist."""
    place = models.CharField(max_length=45, blank=True)
    """The address, or of an IPv6 address its network of /64."""
    refusals = models.PositiveIntegerField(default=1)
    since = models.DateTimeField()

    class Meta:
        verbose_name = "count of refusals"
        verbose_name_plural = "counts of refusals"
        constraints = [
            models.UniqueConstraint(
                fields=["client_id", "place", "action"], name="refusals_counted_once"
            ),
        ]
        indexes = [models.Index(fields=["since"], name="refusals_by_window")]

    def __str__(self) -> str:
        return f"{self.refusals} of {self.action}: {self.client_id} from {self.place}"


@receiver(collect_institution_references)
def in_audit_record(institution: Institution, **_kwargs: object) -> str:
    """Say that people of the institution are in the record: it outlives them by its text.

    The next holder of the registry identifier would be shown what they did.
    """
    events = AuditEvent.objects.filter(registry_id=institution.registry_id)
    about_people = events.exclude(action=AuditEvent.Action.INSTITUTION_CHANGED)
    return f"the audit record of {institution}" if about_people.exists() else ""
