"""The authorization server's tables; one module per noun."""

from authserver.models.audit import AuditEvent, RefusalCount
from authserver.models.consent import Consent
from authserver.models.institution import Institution
from authserver.models.key_notes import KeyRefusal, SecretLink
from authserver.models.service import (
    CONTEXT_SCOPE_PREFIX,
    IDENTITY_SCOPES,
    OPENID_SCOPE,
    REFRESH_TOKEN_SCOPE,
    Service,
)
from authserver.models.service_key import KeyInstitution, KeyService, ServiceKey
from authserver.models.session import Session
from authserver.models.sign_in import RoleRule, SignInMethod, SignInRules
from authserver.models.token import (
    AccessToken,
    Grant,
    IDToken,
    PendingRequest,
    RefreshToken,
)
from authserver.models.user import User

__all__ = [
    "CONTEXT_SCOPE_PREFIX",
    "IDENTITY_SCOPES",
    "OPENID_SCOPE",
    "REFRESH_TOKEN_SCOPE",
    "AccessToken",
    "AuditEvent",
    "Consent",
    "Grant",
    "IDToken",
    "Institution",
    "KeyInstitution",
    "KeyRefusal",
    "KeyService",
    "PendingRequest",
    "RefreshToken",
    "RefusalCount",
    "RoleRule",
    "SecretLink",
    "Service",
    "ServiceKey",
    "Session",
    "SignInMethod",
    "SignInRules",
    "User",
]
