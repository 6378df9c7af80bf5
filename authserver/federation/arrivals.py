"""Who arrives: the account of a provider's subject, made or connected at first.

Accounts are found by (provider, subject) and by nothing else: no claim, no mail address and
no username leads to an account that exists (docs/federation.md).
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction

from authserver import audit
from authserver.federation import claims
from authserver.federation.claims import Claims
from authserver.federation.refusals import ArrivalRefused
from authserver.models import AuditEvent, RoleRule, SignInMethod, SignInRules, User
from authserver.models.user import USERNAME
from authserver.parsing.usernames import normalise_username

LONGEST_SUBJECT = 300
_LONGEST_UID = 191  # of allauth's column


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """A person whom a provider vouches for."""

    method: SignInMethod
    uid: str
    claims: Claims


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What the claims say in the words of an account; empty where they say nothing."""

    username: str
    full_name: str
    email: str
    roles: frozenset[Group]


def digest(text: str) -> str:
    """Return a text of any length as one that a column or a key holds."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def uid_of(subject: object) -> str:
    """Return how a subject is stored: as it is, or a digest of one that is too long.

    Raises ``ArrivalRefused``.
    """
    if (
        not isinstance(subject, str)
        or not 0 < len(subject) <= LONGEST_SUBJECT
        or not subject.isprintable()
        or not subject.strip()
    ):
        raise ArrivalRefused("subject_invalid")
    if len(subject) <= _LONGEST_UID and not subject.startswith("sha256:"):
        return subject
    return f"sha256:{digest(subject)}"


def profile(arrival: Arrival) -> Profile:
    """Return what the claims make of an account, by the mapping of the provider."""
    method = arrival.method
    return Profile(
        username=_username(arrival),
        full_name=claims.first(arrival.claims, method.claim("name"))[:200],
        email=_email(arrival),
        roles=frozenset(
            rule.group for rule in _rules(method) if _applies(rule, arrival.claims)
        ),
    )


def account_of(arrival: Arrival) -> User | None:
    """Return the account of the subject. Raises ``ArrivalRefused`` for one that moved."""
    found = (
        SocialAccount.objects.filter(provider=arrival.method.provider_id, uid=arrival.uid)
        .select_related("user__institution")
        .first()
    )
    if found is None:
        return None
    user: User = found.user
    if user.institution_id != arrival.method.institution_id:
        raise ArrivalRefused("account_moved")
    if not user.is_active:
        raise ArrivalRefused("account_disabled")
    return user


def require_claims(arrival: Arrival) -> None:
    """Refuse who lacks what the institution requires. Raises ``ArrivalRefused``."""
    for name, value in arrival.method.requirements:
        if value not in arrival.claims.get(name, ()):
            raise ArrivalRefused("claims_missing")


def receive(arrival: Arrival, *, invited: int | None = None) -> User:
    """Return the account of the person, made or connected now if need be.

    Name, mail and roles follow the claims at each sign-in. ``invited`` is the primary key
    of an account that an administrator invited this person to. Raises ``ArrivalRefused``.
    """
    if not arrival.method.is_active:  # it was switched off meanwhile
        raise ArrivalRefused("provider_misconfigured")
    require_claims(arrival)
    try:
        with transaction.atomic():
            user = account_of(arrival) or _new(arrival, invited)
            _follow(user, arrival)
            return user
    except IntegrityError:
        # Two tabs arrived for the first time at once, or the name was taken meanwhile.
        if (known := account_of(arrival)) is not None:
            return known
        raise ArrivalRefused("username_taken") from None


def problem(arrival: Arrival) -> str:
    """Return the reason why the person would be refused, or ``""``; changes nothing."""
    try:
        require_claims(arrival)
        if account_of(arrival) is None:
            _require_open(arrival)
    except ArrivalRefused as refused:
        return refused.reason
    return ""


def _new(arrival: Arrival, invited: int | None) -> User:
    rules = SignInRules.of(arrival.method.institution)
    if invited is not None and rules.arrivals != SignInRules.Arrivals.NONE:
        return _connect(arrival, invited)
    _require_open(arrival)
    user = User.objects.create_user(
        profile(arrival).username, institution=arrival.method.institution
    )
    _link(user, arrival)
    audit.record_account(AuditEvent.Action.ACCOUNT_MADE, user, provider=arrival.method.name)
    return user


def _connect(arrival: Arrival, invited: int) -> User:
    """Connect the account of an invitation, once."""
    user = (
        User.objects.select_for_update(of=("self",))
        .select_related("institution")
        .filter(pk=invited, is_active=True, institution=arrival.method.institution_id)
        .first()
    )
    if user is None or is_connected(user, arrival.method):
        raise ArrivalRefused("invitation_over")
    _link(user, arrival)
    audit.record_account(
        AuditEvent.Action.ACCOUNT_CONNECTED, user, provider=arrival.method.name
    )
    return user


def is_connected(user: User, method: SignInMethod) -> bool:
    """Return whether somebody signs in to the account by the provider."""
    return SocialAccount.objects.filter(user=user, provider=method.provider_id).exists()


def _link(user: User, arrival: Arrival) -> None:
    SocialAccount.objects.create(
        user=user, provider=arrival.method.provider_id, uid=arrival.uid
    )


def _require_open(arrival: Arrival) -> None:
    institution = arrival.method.institution
    if SignInRules.of(institution).arrivals != SignInRules.Arrivals.MAKE:
        raise ArrivalRefused("account_unknown")
    if User.objects.at(institution, profile(arrival).username).exists():
        raise ArrivalRefused("username_taken")


def _follow(user: User, arrival: Arrival) -> None:
    """Write what the claims say, and nothing where they are silent."""
    wanted = profile(arrival)
    changed = [
        name
        for name in ("full_name", "email")
        if (value := getattr(wanted, name)) and value != getattr(user, name)
    ]
    for name in changed:
        setattr(user, name, getattr(wanted, name))
    if user.must_change_password and not user.has_usable_password():
        user.must_change_password = False
        changed.append("must_change_password")
    if changed:
        user.save(update_fields=changed)
    _follow_roles(user, arrival.method, wanted.roles)


def _follow_roles(user: User, method: SignInMethod, wanted: Iterable[Group]) -> None:
    """Give and take the roles that rules name, and leave every other alone."""
    ruled = {rule.group for rule in _rules(method)}
    held = ruled & set(user.groups.all()) if ruled else set()
    given, taken = set(wanted) - held, held - set(wanted)
    if not given and not taken:
        return
    user.groups.add(*given)
    user.groups.remove(*taken)
    audit.record_account(
        AuditEvent.Action.ACCOUNT_CHANGED,
        user,
        provider=method.name,
        given=sorted(group.name for group in given),
        taken=sorted(group.name for group in taken),
    )


def _rules(method: SignInMethod) -> list[RoleRule]:
    return list(method.role_rules.select_related("group"))


def _applies(rule: RoleRule, found: Claims) -> bool:
    return rule.value in found.get(rule.claim, ())


def _username(arrival: Arrival) -> str:
    """Return the username that the claims give, or one made of the subject."""
    claimed = normalise_username(
        claims.first(arrival.claims, arrival.method.claim("username"))
    )
    if USERNAME.match(claimed) and len(claimed) <= 150:
        return claimed
    return f"person-{digest(arrival.uid)[:12]}"


def _email(arrival: Arrival) -> str:
    """Return the mail address, unless the provider says that nobody confirmed it."""
    if claims.first(arrival.claims, "email_verified") == "false":
        return ""
    address = claims.first(arrival.claims, arrival.method.claim("email"))
    try:
        validate_email(address)
    except ValidationError:
        return ""
    return address if len(address) <= 254 else ""
