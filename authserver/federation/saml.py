"""SAML 2.0 by python3-saml, as django-allauth uses it.

Overridden: settings come from our row and ``PUBLIC_URL``, the subject is one that stays,
and an answer is verified where it arrives, stricter than the library does by itself. It is
kept for a minute for the browser that asked: its cookie does not come with the form of
another site (``SameSite``).
"""

import re
import secrets
from dataclasses import asdict, dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from allauth.socialaccount.providers.saml.provider import SAMLProvider
from django.core.cache import cache
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from onelogin.saml2.auth import OneLogin_Saml2_Auth
from onelogin.saml2.constants import OneLogin_Saml2_Constants as Saml
from onelogin.saml2.response import OneLogin_Saml2_Response
from onelogin.saml2.settings import OneLogin_Saml2_Settings
from onelogin.saml2.utils import OneLogin_Saml2_Utils
from onelogin.saml2.xml_utils import OneLogin_Saml2_XML

from authserver.conf import conf
from authserver.federation import arrivals, claims, saml_metadata
from authserver.federation.claims import Claims
from authserver.federation.refusals import ArrivalRefused
from authserver.models import SignInMethod

LONGEST: Final = 256 * 1024
"""Characters of a response, in Base64."""
KEPT_SECONDS: Final = 60
MOST_ONCE_SECONDS: Final = 24 * 3600
SUBJECTS: Final = (
    ("pairwise", "urn:oasis:names:tc:SAML:attribute:pairwise-id"),
    ("subject", "urn:oasis:names:tc:SAML:attribute:subject-id"),
)
_DS: Final = Saml.NS_DS
_C14N: Final = "http://www.w3.org/2001/10/xml-exc-c14n#"
TRANSFORMS: Final = {f"{_DS}enveloped-signature", _C14N, f"{_C14N}WithComments"}
"""What may be done to what was signed before it is compared (SAML Core 5.4.4)."""
STRONG: Final = re.compile(r".+#((rsa|ecdsa)-)?sha(256|384|512)(-rsa-MGF1)?")
"""Digests and signatures; xmlsec knows which of those names there are."""
MADE_WITH: Final = [f"{{{_DS}}}{name}" for name in ("DigestMethod", "SignatureMethod")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Assertion:
    """What a verified response says."""

    in_response_to: str
    subject: str
    claims: Claims
    authenticated_at: float


class SamlProvider(SAMLProvider):
    """One identity provider of one institution."""

    package = "allauth.socialaccount.providers.saml"
    leeway = Saml.ALLOWED_CLOCK_DRIFT
    arrived: Claims = {}
    authenticated_at: float | None = None

    def redirect(
        self,
        request: HttpRequest,
        process: str,
        next_url: str | None = None,
        data: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> HttpResponseRedirect:
        """Send the browser to the provider, and remember the request by its identifier."""
        auth = OneLogin_Saml2_Auth(_request(self.app.provider_id), self.app.settings)
        anew = kwargs.pop("force_authn", False)
        # RelayState says nothing: the session knows where the trip began.
        address = auth.login("", force_authn=anew, set_nameid_policy=False)
        self.stash_redirect_state(
            request, process, next_url, data, state_id=auth.get_last_request_id(), **kwargs
        )
        return HttpResponseRedirect(address)

    def asking_anew(self) -> dict[str, Any]:
        """Return what ``redirect`` takes to have the person asked again."""
        return {"force_authn": True}

    def extract_uid(self, data: Assertion) -> str:
        """Return the subject, and never anything that may change hands."""
        return arrivals.uid_of(data.subject)

    def extract_extra_data(self, data: Assertion) -> dict[str, Any]:
        """Keep the claims for this request, and store none of them."""
        self.arrived = data.claims
        self.authenticated_at = data.authenticated_at
        return {}

    def extract_common_fields(self, data: Assertion) -> dict[str, Any]:
        """Leave the fields of the account to the institution's mapping."""
        return {}


def settings_of(method: SignInMethod) -> dict[str, Any]:
    """Return the settings of python3-saml. Raises ``ArrivalRefused``."""
    try:
        provider = saml_metadata.read(method.metadata, method.issuer)
    except saml_metadata.MetadataUnfit as error:
        raise ArrivalRefused("provider_misconfigured") from error
    return {
        "strict": True,
        "sp": service_provider(method.provider_id),
        "idp": provider,
        "security": {
            "requestedAuthnContext": False,
            "wantAttributeStatement": False,
            "wantNameId": False,
            "allowRepeatAttributeName": True,
            "allowSingleLabelDomains": True,
        },
    }


def service_provider(provider_id: str) -> dict[str, Any]:
    """Return how this server is described to the provider."""
    return {
        "entityId": address_of("saml-metadata", provider_id),
        "assertionConsumerService": {
            "url": address_of("saml-acs", provider_id),
            "binding": Saml.BINDING_HTTP_POST,
        },
        "NameIDFormat": Saml.NAMEID_PERSISTENT,
    }


def metadata_of(method: SignInMethod) -> bytes:
    """Return this server's metadata, for the provider."""
    settings = OneLogin_Saml2_Settings(
        {
            "strict": True,
            "sp": service_provider(method.provider_id),
            "security": {"allowSingleLabelDomains": True},
        },
        sp_validation_only=True,
    )
    made: str | bytes = settings.get_sp_metadata()
    return made.encode() if isinstance(made, str) else made


def address_of(page: str, provider_id: str) -> str:
    """Return an address of ours that the provider is told."""
    return f"{conf.issuer}{reverse(f'authserver:{page}', args=[provider_id])}"


def verified(method: SignInMethod, encoded: str) -> Assertion:
    """Return what a response says that the provider signed, for us, now, and once.

    Raises ``ArrivalRefused``.
    """
    if len(encoded) > LONGEST:
        raise ArrivalRefused("answer_invalid")
    settings = OneLogin_Saml2_Settings(settings_of(method))
    try:
        response = OneLogin_Saml2_Response(settings, encoded)
        _require_plain_signatures(response)
        response.is_valid(_request(method.provider_id), raise_exceptions=True)
        _require_strictness(response, settings, method.provider_id)
        assertion = _said(response)
    except ArrivalRefused:
        raise
    except Exception as error:  # whatever XML, its schema or a signature lacks
        saml_metadata.refresh_if_old(method, doubted=True)
        raise ArrivalRefused("answer_invalid") from error
    _require_once(method, response)
    return assertion


def _require_plain_signatures(response: OneLogin_Saml2_Response) -> None:
    """Insist on what the profile allows in a signature, before any is looked at.

    The library reads and transforms what is signed before it knows who signed: a
    stylesheet of whoever sent it would run for hours, and a file without an end be read
    for ever; thousands of references take seconds. Raises ``ArrivalRefused``.
    """
    for each in response.document.iter():
        algorithm = each.get("Algorithm", "")
        if (
            (each.tag == f"{{{_DS}}}Reference" and not _refers_to_what_it_is_in(each))
            or (each.tag == f"{{{_DS}}}Transforms" and len(each) > len(TRANSFORMS))
            or (each.tag == f"{{{_DS}}}Transform" and algorithm not in TRANSFORMS)
            or (each.tag in MADE_WITH and not STRONG.fullmatch(algorithm))
        ):
            raise ArrivalRefused("answer_invalid")


def _refers_to_what_it_is_in(reference: Any) -> bool:
    """Return whether the one reference is to the element that has the signature."""
    element = reference.xpath(
        "../../parent::*[count(*/*/ds:Reference) = 1]", namespaces=Saml.NSMAP
    )
    return len(element) == 1 and reference.get("URI") == f"#{element[0].get('ID')}"


def _require_strictness(
    response: OneLogin_Saml2_Response, settings: OneLogin_Saml2_Settings, provider_id: str
) -> None:
    """Insist on what the profile demands and the library forgives (SAML Profiles 4.1.4.2).

    Raises ``ArrivalRefused``.
    """
    data = response._query_assertion(  # noqa: SLF001 -- reads the signed assertion alone
        "/saml:Subject/saml:SubjectConfirmation/saml:SubjectConfirmationData"
    )
    issuers = response._query_assertion("/saml:Issuer")  # noqa: SLF001 -- as above
    asked = response.get_in_response_to()
    is_ours = (
        settings.get_sp_data()["entityId"] in response.get_audiences()
        and [OneLogin_Saml2_XML.element_text(issuer) for issuer in issuers]
        == [settings.get_idp_data()["entityId"]]
        and bool(asked)
        and response.document.get("Destination")
        in {None, address_of("saml-acs", provider_id)}
        and len(data) == 1
        and data[0].get("InResponseTo") == asked
        and data[0].get("Recipient") == address_of("saml-acs", provider_id)
        and data[0].get("NotOnOrAfter") is not None
    )
    if not is_ours:
        raise ArrivalRefused("answer_invalid")


def _said(response: OneLogin_Saml2_Response) -> Assertion:
    attributes = response.get_attributes()
    return Assertion(
        in_response_to=response.get_in_response_to(),
        subject=_subject(response, attributes),
        claims=claims.flatten(attributes, response.get_friendlyname_attributes()),
        authenticated_at=_instant(response),
    )


def _instant(response: OneLogin_Saml2_Response) -> float:
    """Return when the provider asked who it is. There is one statement, which says so."""
    (statement,) = response._query_assertion("/saml:AuthnStatement")  # noqa: SLF001 -- as above
    return float(OneLogin_Saml2_Utils.parse_SAML_to_time(statement.get("AuthnInstant")))


def _subject(response: OneLogin_Saml2_Response, attributes: dict[str, Any]) -> str:
    """Return a subject that stays: an attribute made for it, or a persistent NameID.

    Raises ``ArrivalRefused`` for transient names, mail addresses and nothing at all.
    """
    for kind, name in SUBJECTS:
        values = attributes.get(name, [])
        if len(values) == 1 and isinstance(values[0], str):
            return f"{kind}:{values[0]}"
    data = response.get_nameid_data()
    name = (data.get("Value") or "").strip()
    if data.get("Format") != Saml.NAMEID_PERSISTENT or not name:
        raise ArrivalRefused("subject_invalid")
    return f"nameid:{name}"


def _require_once(method: SignInMethod, response: OneLogin_Saml2_Response) -> None:
    """Remember the assertion for as long as it holds. Raises ``ArrivalRefused``."""
    ends = response.get_assertion_not_on_or_after() or 0
    left = int(ends - timezone.now().timestamp()) + Saml.ALLOWED_CLOCK_DRIFT + 1
    key = f"authserver.federation.assertion.{method.pk}.{response.get_assertion_id()}"
    seconds = min(max(left, Saml.ALLOWED_CLOCK_DRIFT), MOST_ONCE_SECONDS)
    if not cache.add(_digest(key), "", seconds):
        raise ArrivalRefused("answer_invalid")


def keep(provider_id: str, assertion: Assertion) -> str:
    """Keep a verified assertion for the browser that asked; return its ticket."""
    ticket = secrets.token_urlsafe(32)
    cache.set(_digest(f"{provider_id} {ticket}"), asdict(assertion), KEPT_SECONDS)
    return ticket


def take(provider_id: str, ticket: str) -> Assertion:
    """Return what was kept, once. Raises ``ArrivalRefused``."""
    key = _digest(f"{provider_id} {ticket}")
    kept = cache.get(key)
    if kept is None or not cache.delete(key):
        raise ArrivalRefused("trip_unknown")
    return Assertion(**kept)


def _digest(text: str) -> str:
    return f"authserver.federation.{arrivals.digest(text)}"


def _request(provider_id: str) -> dict[str, Any]:
    """Return where a response came to, by ``PUBLIC_URL`` and never by a header."""
    parts = urlsplit(address_of("saml-acs", provider_id))
    return {
        "https": "on" if parts.scheme == "https" else "off",
        "http_host": parts.netloc,
        "script_name": parts.path,
        "get_data": {},
        "post_data": {},
    }
