"""People who arrive from a SAML identity provider, and who pretends to."""

import base64
from copy import deepcopy

import pytest
import xmlsec
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import Group
from django.utils import timezone
from django_tasks_db.models import DBTaskResult
from lxml import etree

from authserver.federation import saml_metadata
from authserver.models import Institution, RoleRule, SignInMethod, SignInRules, User
from authserver.tests import factories
from authserver.tests.federation import saml_provider as provider
from authserver.tests.federation.conftest import leave, post
from authserver.tests.federation.saml_provider import NAMESPACES, ONE, TWO, Answer
from authserver.tests.visitor import Visitor

pytestmark = pytest.mark.both_databases


@pytest.fixture
def method(saml_method):
    return saml_method


def arrive(visitor, lakeview, **changes):
    return post(visitor, Answer(leave(visitor, lakeview), **changes).sign())


def refused(visitor, reason="answer_invalid"):
    assert visitor.response["x-svc-Reason"] == reason
    assert not User.objects.exists()
    assert "_auth_user_id" not in visitor.client.session


def test_a_person_arrives_by_saml(visitor, method, lakeview):
    arrive(visitor, lakeview)

    assert visitor.heading == "My account"
    assert SocialAccount.objects.get().uid == "nameid:ann-1"
    ann = User.objects.get()
    assert (ann.login, ann.full_name) == ("ann@1003", "Ann")


def test_the_same_subject_finds_the_same_account_whatever_else_is_said(
    visitor, method, lakeview
):
    arrive(visitor, lakeview)

    arrive(Visitor(), lakeview, identifier="_2", attributes={provider.EPPN: ["anna"]})

    assert User.objects.get().username == "ann"


def test_a_signed_response_counts_as_a_signed_assertion_does(visitor, method, lakeview):
    post(visitor, Answer(leave(visitor, lakeview)).sign("."))

    assert visitor.heading == "My account"


@pytest.mark.parametrize(
    ("changes", "uid"),
    [
        (
            {"format": provider.TRANSIENT, "attributes": {provider.PAIRWISE: ["a@b"]}},
            "pairwise:a@b",
        ),
        ({"name_id": None, "attributes": {provider.PAIRWISE: ["a@b"]}}, "pairwise:a@b"),
    ],
)
def test_a_pairwise_identifier_is_the_subject(visitor, method, lakeview, changes, uid):
    arrive(visitor, lakeview, **changes)

    assert SocialAccount.objects.get().uid == uid


@pytest.mark.parametrize(
    "changes",
    [
        {"format": provider.TRANSIENT},
        {"format": provider.EMAIL, "name_id": "ann@lakeview.example"},
        {"format": "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified"},
        {"name_id": None},
        {"name_id": None, "attributes": {provider.PAIRWISE: ["a", "b"]}},
        {"name_id": None, "attributes": {provider.PAIRWISE: [" "]}},
        {"name_id": " "},
        {
            "name_id": None,
            "attributes": {provider.PAIRWISE: ["<saml:NameID>a</saml:NameID>"]},
        },
    ],
    ids=str,
)
def test_a_subject_that_does_not_stay_is_refused(visitor, method, lakeview, changes):
    arrive(visitor, lakeview, **changes)

    refused(visitor, "subject_invalid")
    assert visitor.status == 403


def test_an_answer_without_attributes_makes_an_account(visitor, method, lakeview):
    arrive(visitor, lakeview, attributes={})

    assert User.objects.get().username.startswith("person-")


def test_an_attribute_may_be_repeated(visitor, method, lakeview):
    answer = Answer(leave(visitor, lakeview))
    attribute = answer.find(".//saml:Attribute")
    attribute.addnext(deepcopy(attribute))

    assert post(visitor, answer.sign()).heading == "My account"


def test_the_request_asks_for_no_way_of_signing_in(visitor, method, lakeview):
    request = provider.request_at(leave(visitor, lakeview))

    assert request.find("{*}RequestedAuthnContext") is None


def test_an_answer_may_come_in_lines(visitor, method, lakeview):
    answer = Answer(leave(visitor, lakeview)).sign()
    xml = etree.tostring(answer.document)
    answer.encoded = lambda: base64.encodebytes(xml).decode()  # RFC 2045

    assert post(visitor, answer).heading == "My account"


def test_two_providers_may_give_assertions_one_identifier(
    visitor, method, lakeview, northgate
):
    SignInRules.objects.create(
        institution=northgate, passwords=False, arrivals=SignInRules.Arrivals.MAKE
    )
    factories.SignInMethodFactory(
        institution=northgate,
        kind=SignInMethod.Kind.SAML,
        issuer=provider.ENTITY,
        client_id="",
        metadata=provider.metadata(),
    )
    arrive(Visitor(), northgate)

    assert arrive(visitor, lakeview).heading == "My account"


def test_roles_follow_affiliations(visitor, method, lakeview):
    editor = Group.objects.get_or_create(name="editor")[0]
    claim = "urn:oid:1.3.6.1.4.1.5923.1.1.1.9"
    value = "staff@lakeview.example"
    RoleRule.objects.create(method=method, claim=claim, value=value, group=editor)

    arrive(visitor, lakeview, attributes={claim: ["member@lakeview.example", value]})

    assert set(User.objects.get().groups.all()) == {editor}


def test_a_response_counts_once(visitor, method, lakeview):
    answer = Answer(leave(visitor, lakeview)).sign()
    post(visitor, answer)
    User.objects.all().delete()
    SocialAccount.objects.all().delete()

    post(visitor, answer)

    assert visitor.response["x-svc-Reason"] == "answer_invalid"
    assert not User.objects.exists()


def test_an_assertion_counts_once_in_another_response(visitor, method, lakeview):
    first = Answer(leave(visitor, lakeview)).sign()
    post(visitor, first)
    User.objects.all().delete()
    again = deepcopy(first)
    again.document.set("ID", "_another")

    post(Visitor(), again)

    assert not User.objects.exists()


def test_a_response_counts_in_the_browser_that_asked(visitor, method, lakeview):
    answer = Answer(leave(visitor, lakeview)).sign()

    refused(post(Visitor(), answer), "trip_unknown")


def test_a_response_that_nobody_asked_for_is_refused(visitor, method, lakeview):
    arrive(visitor, lakeview, in_response_to=None, confirms=None)

    refused(visitor)


@pytest.mark.parametrize(
    "changes",
    [
        {"audience": "https://another.example"},
        {"audience": None},
        {"recipient": "https://another.example/acs"},
        {"recipient": None},
        {"destination": "https://another.example/acs"},
        {"confirms": "_another"},
        {"confirms": None},
        {"in_response_to": "_another", "confirms": None},
        {"ends": -600},
        {"not_before": 3600, "ends": 7200},
        {"entity": "https://evil.example"},
        {"entity": ""},
    ],
    ids=str,
)
def test_a_response_for_others_or_another_time_is_refused(
    visitor, method, lakeview, changes
):
    arrive(visitor, lakeview, **changes)

    refused(visitor)


def test_a_clock_that_is_a_little_ahead_is_forgiven(visitor, method, lakeview):
    arrive(visitor, lakeview, not_before=120)

    assert visitor.heading == "My account"


def test_an_unsigned_response_is_refused(visitor, method, lakeview):
    refused(post(visitor, Answer(leave(visitor, lakeview))))


@pytest.mark.parametrize("path", [".", "saml:Assertion"])
def test_a_signature_by_another_key_is_refused(visitor, method, lakeview, path):
    refused(post(visitor, Answer(leave(visitor, lakeview)).sign(path, pair=TWO)))


@pytest.mark.parametrize(
    "how",
    [
        {"by": xmlsec.Transform.RSA_SHA1},
        {"by": xmlsec.Transform.RSA_MD5},
        {"digest": xmlsec.Transform.SHA1},
        {"digest": xmlsec.Transform.MD5},
        {"digest": xmlsec.Transform.RIPEMD160},
    ],
    ids=str,
)
def test_a_weak_algorithm_is_refused(visitor, method, lakeview, how):
    refused(post(visitor, Answer(leave(visitor, lakeview)).sign(**how)))


def test_stronger_algorithms_are_taken(visitor, method, lakeview):
    strong = {"by": xmlsec.Transform.RSA_SHA512, "digest": xmlsec.Transform.SHA384}

    post(visitor, Answer(leave(visitor, lakeview)).sign(**strong))

    assert visitor.heading == "My account"


@pytest.mark.parametrize("path", [".", "saml:Assertion"])
def test_what_was_changed_after_it_was_signed_is_refused(visitor, method, lakeview, path):
    answer = Answer(leave(visitor, lakeview)).sign(path)
    answer.find(".//saml:NameID").text = "somebody-else"

    refused(post(visitor, answer))


def forged(answer):
    """Return an unsigned copy of the assertion, of somebody else."""
    evil = deepcopy(answer.find("saml:Assertion"))
    evil.find(".//saml:NameID", NAMESPACES).text = "somebody-else"
    signature = evil.find("ds:Signature", NAMESPACES)
    if signature is not None:
        evil.remove(signature)
    return evil


def two_side_by_side(answer):
    evil = forged(answer)
    evil.set("ID", "_evil")
    answer.find("saml:Assertion").addprevious(evil)


def two_of_one_identifier(answer):
    answer.find("saml:Assertion").addprevious(forged(answer))


def signed_one_within_the_forged_one(answer):
    good, evil = answer.find("saml:Assertion"), forged(answer)
    evil.set("ID", "_evil")
    good.addprevious(evil)
    evil.append(good)


def signed_one_within_the_signature(answer):
    good, evil = answer.find("saml:Assertion"), forged(answer)
    evil.set("ID", "_evil")
    signature = deepcopy(good.find("ds:Signature", NAMESPACES))
    good.remove(good.find("ds:Signature", NAMESPACES))
    holder = etree.SubElement(signature, f"{{{NAMESPACES['ds']}}}Object")
    good.addprevious(evil)
    holder.append(good)
    evil.insert(1, signature)


def signed_one_within_extensions(answer):
    good, evil = answer.find("saml:Assertion"), forged(answer)
    evil.set("ID", "_evil")
    good.addprevious(evil)
    holder = etree.Element(f"{{{NAMESPACES['samlp']}}}Extensions")
    answer.find("saml:Issuer").addnext(holder)
    holder.append(good)


@pytest.mark.parametrize(
    "wrap",
    [
        two_side_by_side,
        two_of_one_identifier,
        signed_one_within_the_forged_one,
        signed_one_within_the_signature,
        signed_one_within_extensions,
    ],
    ids=lambda wrap: wrap.__name__,
)
def test_a_signature_does_not_count_for_what_is_wrapped_around_it(
    visitor, method, lakeview, wrap
):
    answer = Answer(leave(visitor, lakeview)).sign()
    wrap(answer)

    refused(post(visitor, answer))


def test_a_comment_in_the_name_does_not_shorten_it(visitor, method, lakeview):
    answer = Answer(leave(visitor, lakeview), name_id="ann-1.evil").sign()
    name = answer.find(".//saml:NameID")
    name.text = "ann-1"
    comment = etree.Comment(" ")
    comment.tail = ".evil"
    name.append(comment)

    post(visitor, answer)

    assert [row.uid for row in SocialAccount.objects.all()] in (
        [],
        ["nameid:ann-1.evil"],
    )


def test_a_document_type_is_refused(visitor, method, lakeview):
    answer = Answer(leave(visitor, lakeview)).sign()
    xml = etree.tostring(answer.document).decode()
    bomb = f'<!DOCTYPE r [<!ENTITY a "{"a" * 100}">]>{xml}'
    answer.encoded = lambda: base64.b64encode(bomb.encode()).decode()

    refused(post(visitor, answer))


@pytest.mark.parametrize(
    "text",
    ["", "x", "?" * 100, base64.b64encode(b"<a/>").decode(), "A" * 300_000,
     base64.b64encode(b"<" * 1000).decode(), base64.b64encode(b"\x00\xff").decode()],
    ids=lambda text: text[:12],
)  # fmt: skip
def test_any_text_is_refused_in_words(visitor, method, lakeview, text):
    answer = Answer(leave(visitor, lakeview))
    answer.encoded = lambda: text

    refused(post(visitor, answer))


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example", "/admin/"])
def test_relay_state_leads_nowhere(visitor, method, lakeview, target):
    post(visitor, Answer(leave(visitor, lakeview)).sign(), RelayState=target)

    assert (visitor.heading, visitor.left_for) == ("My account", "")


def test_another_institutions_provider_reaches_no_account(
    visitor, method, lakeview, northgate
):
    arrive(visitor, lakeview)
    entity = "https://idp.northgate.example"
    factories.SignInMethodFactory(
        institution=northgate,
        kind=SignInMethod.Kind.SAML,
        name="Northgate account",
        issuer=entity,
        client_id="",
        metadata=provider.metadata(TWO, entity=entity),
    )
    location = leave(Visitor(), lakeview)

    stranger = post(
        Visitor(), Answer(location, entity=entity, identifier="_3").sign(pair=TWO)
    )

    assert stranger.response["x-svc-Reason"] == "answer_invalid"


@pytest.mark.parametrize("ticket", ["", "x", "\x00"])
def test_a_made_up_ticket_is_refused(visitor, method, ticket):
    response = visitor.client.get(
        f"/oauth2/login/saml/{method.provider_id}/finish", {"ticket": ticket}
    )

    assert response["x-svc-Reason"] == "trip_unknown"


def test_our_metadata_names_where_to_send_responses(visitor, method):
    visitor.response = visitor.client.get(
        f"/oauth2/login/saml/{method.provider_id}/metadata"
    )

    document = etree.fromstring(visitor.response.content)
    acs = document.find(".//{*}AssertionConsumerService")
    assert acs.get("Location").endswith(f"/oauth2/login/saml/{method.provider_id}")
    assert document.get("entityID").endswith("/metadata")


def test_a_new_certificate_counts_once_the_metadata_was_fetched_again(
    visitor, method, lakeview, issuer
):
    issuer.answers = {"/saml": provider.metadata(ONE, TWO).encode()}
    method.metadata_url = f"{issuer.url}/saml"
    method.save()

    saml_metadata.refresh.call(method.pk)

    post(visitor, Answer(leave(visitor, lakeview)).sign(pair=TWO))
    assert visitor.heading == "My account"


@pytest.mark.parametrize(
    "text",
    [b"", b"<a/>", provider.metadata(entity="https://another.example").encode(),
     provider.metadata(sso="http://10.0.0.1/sso").encode(),
     provider.metadata(sso="javascript:alert(1)").encode(),
     provider.metadata().encode() + b" " * 600_000,
     provider.metadata().replace("KeyDescriptor", "Extensions").encode(),
     b"\xff", b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
    ids=lambda text: str(text)[:20],
)  # fmt: skip
def test_metadata_that_is_unfit_replaces_nothing(method, issuer, text):
    issuer.answers = {"/saml": text}
    method.metadata_url = f"{issuer.url}/saml"
    method.save()

    with pytest.raises(saml_metadata.MetadataUnfit):
        saml_metadata.refresh.call(method.pk)

    assert SignInMethod.objects.get().metadata == method.metadata


def test_metadata_that_is_old_is_fetched_again_in_the_background(
    visitor, method, lakeview, issuer
):
    issuer.answers = {"/saml": provider.metadata(ONE, TWO).encode()}
    method.metadata_url = f"{issuer.url}/saml"
    method.save()

    leave(visitor, lakeview)
    leave(Visitor(), lakeview)

    assert refreshes() == 1
    assert issuer.asked == []


def refreshes():
    queued = DBTaskResult.objects.filter(task_path__contains="saml_metadata.refresh")
    return queued.count()


def test_metadata_is_fetched_again_once_a_signature_does_not_hold(
    visitor, method, lakeview
):
    method.metadata_url = "https://idp.lakeview.example/metadata"
    method.metadata_fetched_at = timezone.now()
    method.save()
    location = leave(visitor, lakeview)
    assert refreshes() == 0

    post(visitor, Answer(location).sign(pair=TWO))
    post(visitor, Answer(location).sign(pair=TWO))

    assert refreshes() == 1


@pytest.mark.parametrize(
    "change", [{"kind": SignInMethod.Kind.OIDC}, {"institution__is_active": False}], ids=str
)
def test_a_provider_that_is_none_of_saml_has_no_address(visitor, method, change):
    if "kind" in change:
        SignInMethod.objects.update(**change)
    else:
        Institution.objects.update(is_active=False)

    page = f"/oauth2/login/saml/{method.provider_id}/metadata"
    assert visitor.client.get(page).status_code == 404
