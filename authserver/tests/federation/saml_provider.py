"""A SAML identity provider on python-xmlsec that can be told to lie."""

import base64
import zlib
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import xmlsec
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID
from lxml import etree

ENTITY = "https://idp.lakeview.example/shibboleth"
SSO = "https://idp.lakeview.example/sso"
PERSISTENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"
TRANSIENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient"
EMAIL = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"
PAIRWISE = "urn:oasis:names:tc:SAML:attribute:pairwise-id"
EPPN = "urn:oid:1.3.6.1.4.1.5923.1.1.1.6"
NAMESPACES = {
    "saml": "urn:oasis:names:tc:SAML:2.0:assertion",
    "samlp": "urn:oasis:names:tc:SAML:2.0:protocol",
    "ds": "http://www.w3.org/2000/09/xmldsig#",
}
RSA, SHA256 = xmlsec.Transform.RSA_SHA256, xmlsec.Transform.SHA256


class Pair:
    """A private key and its certificate."""

    def __init__(self):
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "idp")])
        now = datetime.now(UTC)
        certificate = (
            x509.CertificateBuilder(name, name, key.public_key(), 1)
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
            .sign(key, hashes.SHA256())
        )
        self.key = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        der = certificate.public_bytes(serialization.Encoding.DER)
        self.text = base64.b64encode(der).decode()


ONE, TWO = Pair(), Pair()


def metadata(*pairs, entity=ENTITY, sso=SSO):
    keys = "".join(
        '<md:KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>'
        f"{pair.text}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>"
        for pair in pairs or (ONE,)
    )
    return (
        '<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" '
        f'xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="{entity}">'
        "<md:IDPSSODescriptor "
        'protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">'
        f'{keys}<md:SingleSignOnService Location="{sso}" '
        'Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"/>'
        "</md:IDPSSODescriptor></md:EntityDescriptor>"
    )


def request_at(location):
    """Return the AuthnRequest that the browser was sent away with."""
    query = parse_qs(urlsplit(location).query)
    return etree.fromstring(zlib.decompress(base64.b64decode(query["SAMLRequest"][0]), -15))


def moment(seconds):
    return (datetime.now(UTC) + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


class Answer:
    """A response to a request, to be changed and signed; what is ``None`` is left out."""

    def __init__(self, location, **changes):
        request = request_at(location)
        self.asked = {
            "entity": ENTITY,
            "in_response_to": request.get("ID"),
            "acs": request.get("AssertionConsumerServiceURL"),
            "audience": request.findtext("saml:Issuer", namespaces=NAMESPACES),
            "name_id": "ann-1",
            "format": PERSISTENT,
            "attributes": {EPPN: ["ann"], "urn:oid:2.16.840.1.113730.3.1.241": ["Ann"]},
            "not_before": -60,
            "ends": 300,
            "identifier": "_assertion",
            "instant": 0,
            **changes,
        }
        self.asked.setdefault("recipient", self.asked["acs"])
        self.asked.setdefault("destination", self.asked["acs"])
        self.asked.setdefault("confirms", self.asked["in_response_to"])
        self.document = etree.fromstring(self.xml())

    def xml(self):
        a = self.asked
        irt = f'InResponseTo="{a["in_response_to"]}"' if a["in_response_to"] else ""
        confirms = f'InResponseTo="{a["confirms"]}"' if a["confirms"] else ""
        recipient = f'Recipient="{a["recipient"]}"' if a["recipient"] else ""
        destination = f'Destination="{a["destination"]}"' if a["destination"] else ""
        audience = (
            f"<saml:AudienceRestriction><saml:Audience>{a['audience']}</saml:Audience>"
            "</saml:AudienceRestriction>"
            if a["audience"]
            else ""
        )
        attributes = "".join(
            f'<saml:Attribute Name="{name}">'
            + "".join(f"<saml:AttributeValue>{v}</saml:AttributeValue>" for v in values)
            + "</saml:Attribute>"
            for name, values in a["attributes"].items()
        )
        statement = attributes and (
            f"<saml:AttributeStatement>{attributes}</saml:AttributeStatement>"
        )
        name = (
            f'<saml:NameID Format="{a["format"]}">{a["name_id"]}</saml:NameID>'
            if a["name_id"]
            else ""
        )
        instant = f'AuthnInstant="{moment(a["instant"])}"'
        return f"""<samlp:Response xmlns:samlp="{NAMESPACES["samlp"]}"
 xmlns:saml="{NAMESPACES["saml"]}" ID="_response" Version="2.0"
 IssueInstant="{moment(0)}" {destination} {irt}><saml:Issuer>{a["entity"]}</saml:Issuer>
<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/>
</samlp:Status><saml:Assertion ID="{a["identifier"]}" Version="2.0"
 IssueInstant="{moment(0)}"><saml:Issuer>{a["entity"]}</saml:Issuer>
<saml:Subject>{name}<saml:SubjectConfirmation
 Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData
 NotOnOrAfter="{moment(a["ends"])}" {recipient} {confirms}/></saml:SubjectConfirmation>
</saml:Subject><saml:Conditions NotBefore="{moment(a["not_before"])}"
 NotOnOrAfter="{moment(a["ends"])}">{audience}</saml:Conditions>
<saml:AuthnStatement {instant}><saml:AuthnContext>
<saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password
</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>{statement}
</saml:Assertion></samlp:Response>"""

    def find(self, path):
        return self.document.find(path, NAMESPACES)

    def sign(self, path="saml:Assertion", pair=ONE, *, by=RSA, digest=SHA256, change=None):
        """Sign the assertion, or with ``"."`` the response; return this answer."""
        element = self.document if path == "." else self.find(path)
        signature = xmlsec.template.create(element, xmlsec.Transform.EXCL_C14N, by, ns="ds")
        issuer = element.find("saml:Issuer", NAMESPACES)
        issuer.addnext(signature)
        reference = xmlsec.template.add_reference(
            signature, digest, uri=f"#{element.get('ID')}"
        )
        xmlsec.template.add_transform(reference, xmlsec.Transform.ENVELOPED)
        xmlsec.template.add_transform(reference, xmlsec.Transform.EXCL_C14N)
        if change is not None:
            change(signature)
        xmlsec.tree.add_ids(self.document, ["ID"])
        context = xmlsec.SignatureContext()
        context.key = xmlsec.Key.from_memory(pair.key, xmlsec.KeyFormat.PEM)
        context.sign(signature)
        return self

    def encoded(self):
        return base64.b64encode(etree.tostring(self.document)).decode()
