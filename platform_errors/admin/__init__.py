"""What the admin classes of every app build on."""

from platform_errors.admin.filters import FewRelatedFilter
from platform_errors.admin.institutions import (
    InstitutionScope,
    InstitutionScopedAdmin,
    InstitutionScopedInline,
    institution_of,
)
from platform_errors.admin.widgets import IdAutocompleteSelectMultiple, is_id

__all__ = [
    "FewRelatedFilter",
    "IdAutocompleteSelectMultiple",
    "InstitutionScope",
    "InstitutionScopedAdmin",
    "InstitutionScopedInline",
    "institution_of",
    "is_id",
]
