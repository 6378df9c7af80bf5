"""What somebody may send to where SAML responses go; each is refused."""

import base64
import os
import threading
import zlib
from copy import deepcopy
from urllib.parse import urlsplit

import pytest
from allauth.socialaccount.models import SocialAccount
from django.test import Client
from lxml import etree

from authserver.models import SignInMethod, SignInRules, User
from authserver.tests import factories
from authserver.tests.federation import saml_provider as provider
from authserver.tests.federation.conftest import leave, post
from authserver.tests.federation.saml_provider import NAMESPACES, TWO, Answer
from authserver.tests.visitor import Visitor

pytestmark = pytest.mark.both_databases
DS = NAMESPACES["ds"]
XSLT = f"""<ds:Transform xmlns:ds="{DS}"
 Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116"><xsl:stylesheet version="1.0"
 xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><done/>
</xsl:template></xsl:stylesheet></ds:Transform>"""
XPATH = f"""<ds:Transform xmlns:ds="{DS}"
 Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"><ds:XPath>true()</ds:XPath>
</ds:Transform>"""


@pytest.fixture(autouse=True)
def method(saml_method):
    return saml_method


@pytest.fixture
def answer(visitor, lakeview):
    return Answer(leave(visitor, lakeview))


def refused(visitor, reason="answer_invalid"):
    assert visitor.response["x-svc-Reason"] == reason
    assert not User.objects.exists()
    assert "_auth_user_id" not in visitor.client.session


def sends(answer, text):
    answer.encoded = lambda: base64.b64encode(text).decode()
    return answer


@pytest.mark.parametrize("transform", [XSLT, XPATH], ids=["XSLT", "XPath"])
def test_a_signature_runs_no_program_of_whoever_sent_it(visitor, answer, transform):
    def add(signature):
        # Python's comparison: names that xmlsec made are not those that find() knows.
        (transforms,) = [
            each for each in signature.iter() if each.tag.endswith("}Transforms")
        ]
        transforms.insert(1, etree.fromstring(transform))

    refused(post(visitor, answer.sign(change=add)))


SECOND = """<ds:Reference xmlns:ds="{ds}" URI="{uri}"><ds:DigestMethod
 Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue>AA==</ds:DigestValue>
</ds:Reference>"""
MANIFEST = (
    f"""<ds:Object xmlns:ds="{{ds}}"><ds:Manifest>{SECOND}</ds:Manifest></ds:Object>"""
)
KEY = '<ds:KeyInfo xmlns:ds="{ds}"><ds:RetrievalMethod URI="{uri}"/></ds:KeyInfo>'


@pytest.mark.parametrize(("name", "count"), [("Reference", 1), ("Transform", 2)])
def test_a_signature_does_its_work_once(visitor, answer, name, count):
    def repeat(signature):
        found = [each for each in signature.iter() if each.tag.endswith(f"}}{name}")]
        for _ in range(count):
            found[-1].addnext(deepcopy(found[-1]))

    refused(post(visitor, answer.sign(change=repeat)))


@pytest.fixture
def pipe(tmp_path):
    """A file that knows whether somebody read it."""
    path, was_read = tmp_path / "pipe", threading.Event()
    os.mkfifo(path)

    def write():
        with path.open("wb"):  # waits for a reader
            was_read.set()

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    yield path, was_read
    os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
    writer.join(5)


@pytest.mark.parametrize(
    ("after", "more"),
    [("Reference", SECOND), ("SignatureValue", MANIFEST), ("SignatureValue", KEY)],
    ids=["reference", "manifest", "key"],
)
def test_a_signature_leads_to_no_file(visitor, answer, pipe, after, more):
    path, was_read = pipe
    answer.sign()
    (before,) = [each for each in answer.document.iter() if each.tag.endswith(f"}}{after}")]
    before.addnext(etree.fromstring(more.format(ds=DS, uri=path)))

    post(visitor, answer)

    assert not was_read.is_set()


def test_a_certificate_that_came_with_the_answer_is_not_used(visitor, answer):
    answer.sign(pair=TWO)
    answer.find(".//ds:SignatureValue").addnext(
        etree.fromstring(
            f'<ds:KeyInfo xmlns:ds="{DS}"><ds:X509Data><ds:X509Certificate>{TWO.text}'
            "</ds:X509Certificate></ds:X509Data></ds:KeyInfo>"
        )
    )

    refused(post(visitor, answer))


def test_a_signature_by_a_shared_secret_is_refused(visitor, answer):
    answer.sign()
    method = answer.find(".//ds:SignatureMethod")
    method.set("Algorithm", "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256")

    refused(post(visitor, answer))


@pytest.mark.parametrize("more", ["/elsewhere", "?evil", "x"])
def test_a_destination_that_begins_like_ours_is_another(visitor, lakeview, more):
    location = leave(visitor, lakeview)
    acs = Answer(location).asked["acs"]

    refused(post(visitor, Answer(location, destination=f"{acs}{more}").sign()))


def test_a_recipient_that_contains_ours_is_another(visitor, lakeview):
    location = leave(visitor, lakeview)
    acs = Answer(location).asked["acs"]

    refused(
        post(visitor, Answer(location, recipient=f"https://evil.example/?{acs}").sign())
    )


def test_an_answer_to_one_institution_is_none_to_another_of_the_same_provider(
    visitor, answer, lakeview, northgate
):
    SignInRules.objects.create(
        institution=northgate, arrivals=SignInRules.Arrivals.MAKE, passwords=False
    )
    other = factories.SignInMethodFactory(
        institution=northgate,
        kind=SignInMethod.Kind.SAML,
        issuer=provider.ENTITY,
        client_id="",
        metadata=provider.metadata(),
    )
    answer.sign()
    ours = urlsplit(answer.asked["acs"]).path
    theirs = ours.replace(SignInMethod.objects.get(institution=lakeview).provider_id, "{}")
    answer.asked["acs"] = theirs.format(other.provider_id)

    refused(post(visitor, answer))


def test_two_signed_assertions_are_refused(visitor, lakeview):
    location = leave(visitor, lakeview)
    answer = Answer(location).sign()
    second = Answer(location, identifier="_second", name_id="bea").sign()
    answer.find("saml:Assertion").addnext(second.find("saml:Assertion"))

    refused(post(visitor, answer))


def test_two_confirmations_of_a_subject_are_refused(visitor, answer):
    subject = answer.find(".//saml:Subject")
    subject.append(
        etree.fromstring(
            etree.tostring(subject.find("saml:SubjectConfirmation", NAMESPACES))
        )
    )

    refused(post(visitor, answer.sign()))


def test_an_answer_that_is_no_success_is_refused(visitor, answer):
    code = answer.find(".//samlp:StatusCode")
    code.set("Value", "urn:oasis:names:tc:SAML:2.0:status:Responder")

    refused(post(visitor, answer.sign()))


@pytest.mark.parametrize(
    "declared",
    [
        '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE r [<!ENTITY a SYSTEM "{url}/inside">]>',
        '<!DOCTYPE r SYSTEM "{url}/inside">',
        '<!DOCTYPE r [<!ENTITY % a SYSTEM "{url}/inside"> %a;]>',
        '<!DOCTYPE r [<!ENTITY x "xxxxxxxxxx"><!ENTITY a "&x;&x;&x;&x;&x;&x;&x;&x;">]>',
    ],
)
def test_entities_are_neither_read_nor_expanded(visitor, answer, issuer, declared):
    answer.sign()
    xml = etree.tostring(answer.document).decode().replace(">ann-1<", ">&a;<")
    declared = declared.format(url=issuer.url) if "{url}" in declared else declared

    refused(post(visitor, sends(answer, f"{declared}{xml}".encode())))
    assert issuer.asked == []


def test_what_is_not_signed_declares_nothing_either(visitor, answer, issuer):
    answer.sign()  # the assertion, so the words of the status are anybody's
    answer.find(".//samlp:StatusCode").addnext(
        etree.fromstring(
            f'<p:StatusMessage xmlns:p="{NAMESPACES["samlp"]}">x</p:StatusMessage>'
        )
    )
    xml = etree.tostring(answer.document).decode()
    declared = f'<!DOCTYPE r [<!ENTITY a SYSTEM "{issuer.url}/inside">]>'

    sent = f"{declared}{xml}".replace(">x</", ">&a;</")

    refused(post(visitor, sends(answer, sent.encode())))
    assert issuer.asked == []


def test_an_assertion_of_no_issuer_is_refused_whatever_the_response_says(visitor, answer):
    answer.find("saml:Assertion/saml:Issuer").text = ""

    refused(post(visitor, answer.sign()))


def test_an_answer_that_is_too_long_is_refused_though_it_is_signed(visitor, lakeview):
    attributes = {"urn:a": ["x" * 200_000]}

    refused(post(visitor, Answer(leave(visitor, lakeview), attributes=attributes).sign()))


@pytest.mark.parametrize("wbits", [-15, 15])
def test_a_deflated_answer_is_not_inflated(visitor, answer, wbits):
    packer = zlib.compressobj(9, zlib.DEFLATED, wbits)
    bomb = packer.compress(b" " * 50_000_000) + packer.flush()

    refused(post(visitor, sends(answer, bomb)))


@pytest.mark.parametrize("depth", [300, 20_000])
def test_an_answer_of_any_depth_is_refused_in_words(visitor, answer, depth):
    refused(post(visitor, sends(answer, b"<a>" * depth + b"</a>" * depth)))


def test_a_signed_answer_with_thousands_of_attributes_is_bounded(visitor, lakeview):
    attributes = {f"urn:a:{number}": ["x"] for number in range(1500)}

    post(
        visitor, Answer(leave(visitor, lakeview), attributes=attributes, name_id="a").sign()
    )

    assert visitor.heading == "My account"


def test_a_request_and_a_large_state_beside_the_answer_are_not_read(visitor, answer):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    bomb = base64.b64encode(packer.compress(b" " * 50_000_000) + packer.flush()).decode()

    post(visitor, answer.sign(), SAMLRequest=bomb, RelayState=bomb)

    assert visitor.heading == "My account"


def test_an_answer_by_redirect_is_refused(visitor, answer):
    path = urlsplit(answer.asked["acs"]).path

    response = visitor.client.get(path, {"SAMLResponse": answer.sign().encoded()})

    assert response.status_code == 405


def test_a_confirmation_without_an_end_is_refused(visitor, answer):
    del answer.find(".//saml:SubjectConfirmationData").attrib["NotOnOrAfter"]

    refused(post(visitor, answer.sign()))


def test_a_comment_in_a_pairwise_identifier_does_not_shorten_it(visitor, lakeview):
    location = leave(visitor, lakeview)
    answer = Answer(location, attributes={provider.PAIRWISE: ["ann@a.evil"]}).sign()
    value = answer.find(".//saml:AttributeValue")
    value.text = "ann@a"
    comment = etree.Comment(" ")
    comment.tail = ".evil"
    value.append(comment)

    post(visitor, answer)

    assert [row.uid for row in SocialAccount.objects.all()] == ["pairwise:ann@a.evil"]


@pytest.fixture
def finish(visitor, answer):
    """The address that a verified response leads to, not yet opened."""
    path = urlsplit(answer.asked["acs"]).path
    return Client().post(path, {"SAMLResponse": answer.sign().encoded()})["Location"]


def test_a_ticket_counts_once_whoever_tried_it(visitor, finish):
    assert Visitor().open(finish).response["x-svc-Reason"] == "trip_unknown"

    refused(visitor.open(finish), "trip_unknown")


def test_a_ticket_counts_at_its_own_provider(visitor, finish, method, northgate):
    other = factories.SignInMethodFactory(
        institution=northgate,
        kind=SignInMethod.Kind.SAML,
        issuer=provider.ENTITY,
        client_id="",
        metadata=provider.metadata(),
    )
    refused(
        visitor.open(finish.replace(method.provider_id, other.provider_id)), "trip_unknown"
    )

    assert visitor.open(finish).heading == "My account"
