"""What the admin classes of every app build on."""

from platform_errors.admin.institutions import (
    InstitutionScope,
    InstitutionScopedAdmin,
    InstitutionScopedInline,
    institution_of,
)

__all__ = [
    "InstitutionScope",
    "InstitutionScopedAdmin",
    "InstitutionScopedInline",
    "institution_of",
]
