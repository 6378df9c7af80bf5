"""The table of docs/authorization-server.md that says whose each address is."""

from django.urls import reverse

from authserver import urls
from platform_errors.tests.documents_of import docs, table


def address_of(route):
    """Return the address, without the identity provider that it may name."""
    of_provider = "provider_id" in route.pattern.regex.groupindex
    address = reverse(f"authserver:{route.name}", args=["0"] if of_provider else [])
    return address.partition("/0")[0]


def test_for_every_address_it_is_said_what_is_a_library_s():
    named = {
        address.strip("` ")
        for first, *_ in table(docs("authorization-server.md"), "route")
        for address in first.split(",")
    }
    root = reverse("authserver:institution").removesuffix("institution")
    served = {
        address_of(route).removeprefix(root) for route in urls.urlpatterns if route.name
    }

    assert named == served | {".well-known/oauth-authorization-server"}
