"""Metadata of SAML identity providers: read, fetched, and fetched again by a task."""

from datetime import timedelta
from typing import Any, Final

import requests
from django.core.cache import cache
from django.utils import timezone
from django_tasks import task
from onelogin.saml2.idp_metadata_parser import OneLogin_Saml2_IdPMetadataParser

from authserver.federation import outgoing
from authserver.models import SignInMethod

LONGEST: Final = 512 * 1024
FRESH: Final = timedelta(hours=4)
AGAIN_SECONDS: Final = 300
"""How soon it is fetched again because a signature did not hold."""


class MetadataUnfit(Exception):
    """The text is no metadata of the provider; the text says why."""


def read(xml: str, entity_id: str) -> dict[str, Any]:
    """Return the provider as python3-saml knows it. Raises ``MetadataUnfit``."""
    if len(xml) > LONGEST:
        raise MetadataUnfit("The metadata is too long: give that of one provider alone.")
    try:
        found = OneLogin_Saml2_IdPMetadataParser.parse(xml.encode(), entity_id=entity_id)
    except Exception as error:  # whatever an XML parser says
        raise MetadataUnfit("This is no metadata of a SAML identity provider.") from error
    provider: dict[str, Any] = found.get("idp", {})
    if provider.get("entityId") != entity_id:
        raise MetadataUnfit("The metadata has no identity provider of this entity ID.")
    if not outgoing.is_fit(provider.get("singleSignOnService", {}).get("url")):
        raise MetadataUnfit("The metadata has no address to sign in at by a redirect.")
    if not certificates(provider):
        raise MetadataUnfit("The metadata has no certificate that signs.")
    return provider


def certificates(provider: dict[str, Any]) -> list[str]:
    """Return the certificates that the provider may sign with."""
    several: list[str] = provider.get("x509certMulti", {}).get("signing", [])
    return several or [one for one in [provider.get("x509cert")] if one]


def fetch(url: str, entity_id: str) -> str:
    """Return the metadata behind an address. Raises ``MetadataUnfit``."""
    try:
        with outgoing.session() as session:
            response = session.get(url)
        xml = response.content.decode()
    except (requests.RequestException, UnicodeDecodeError) as error:
        raise MetadataUnfit("The metadata could not be fetched.") from error
    read(xml, entity_id)
    return xml


@task()
def refresh(method_id: int) -> None:
    """Fetch the metadata of a provider; what cannot be used changes nothing."""
    method = SignInMethod.objects.filter(pk=method_id).exclude(metadata_url="").first()
    if method is None:
        return
    with outgoing.asked_by(method.institution_id):
        xml = fetch(method.metadata_url, method.issuer)
    SignInMethod.objects.filter(pk=method.pk).update(
        metadata=xml, metadata_fetched_at=timezone.now()
    )


def refresh_if_old(method: SignInMethod, *, doubted: bool = False) -> None:
    """Queue a refresh of metadata that is hours old, or whose keys did not fit."""
    fetched_at = method.metadata_fetched_at
    is_old = fetched_at is None or timezone.now() - fetched_at > FRESH
    if method.metadata_url and (is_old or doubted):
        key = f"authserver.federation.metadata.{method.pk}"
        if cache.add(key, "", AGAIN_SECONDS):
            refresh.enqueue(method.pk)
