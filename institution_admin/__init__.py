"""What the admin classes of every app build on."""

from institution_admin.filters import FewRelatedFilter
from institution_admin.institutions import (
    InstitutionScope,
    InstitutionScopedAdmin,
    InstitutionScopedInline,
    institution_of,
)
from institution_admin.widgets import IdAutocompleteSelectMultiple, is_id

__all__ = [
    "FewRelatedFilter",
    "IdAutocompleteSelectMultiple",
    "InstitutionScope",
    "InstitutionScopedAdmin",
    "InstitutionScopedInline",
    "institution_of",
    "is_id",
]
