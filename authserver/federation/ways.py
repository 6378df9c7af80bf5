"""The ways in to an institution: passwords of this server, providers, or both."""

from dataclasses import dataclass

from authserver.models import Institution, SignInMethod, SignInRules


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """What the login page of an institution offers."""

    passwords: bool
    methods: list[SignInMethod]

    @property
    def only(self) -> SignInMethod | None:
        """The provider that is the only way in, if one is."""
        if self.passwords or len(self.methods) != 1:
            return None
        return self.methods[0]


def only_way(registry_id: str) -> SignInMethod | None:
    """Return the provider that is the only way in to the institution, if one is."""
    institution = Institution.objects.active().filter(registry_id=registry_id).first()
    return None if institution is None else ways_to(institution).only


def ways_to(institution: Institution) -> Ways:
    """Return how people of the institution sign in, its providers by name."""
    methods = SignInMethod.objects.usable().filter(institution=institution)
    return Ways(
        passwords=SignInRules.of(institution).passwords,
        methods=list(methods.order_by("name", "pk")),
    )
