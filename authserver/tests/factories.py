"""Factories, one per model: valid by default, traits name the variation."""

from datetime import timedelta

import factory
from django.contrib.auth.models import Group
from django.utils import timezone
from factory.django import DjangoModelFactory, Password

from authserver import models
from authserver.accounts.sessions import SessionStore
from authserver.crypto import encryption, opaque

PASSWORD = "correct horse battery staple"


class InstitutionFactory(DjangoModelFactory):
    class Meta:
        model = models.Institution

    class Params:
        inactive = factory.Trait(is_active=False)

    registry_id = factory.Sequence(lambda n: str(900_000 + n))
    name = factory.Sequence(lambda n: f"Institution {n}")
    place = "Riverside"
    code = factory.Sequence(lambda n: f"INST{n}")


class UserFactory(DjangoModelFactory):
    class Meta:
        model = models.User
        skip_postgeneration_save = True

    class Params:
        disabled = factory.Trait(is_active=False)
        administrator = factory.Trait(institution=None, is_staff=True, is_superuser=True)

    username = factory.Sequence(lambda n: f"user{n}")
    institution = factory.SubFactory(InstitutionFactory)
    full_name = "Some One"
    password = Password(PASSWORD)


class SignInMethodFactory(DjangoModelFactory):
    """A provider that is open to people, with a secret."""

    class Meta:
        model = models.SignInMethod

    institution = factory.SubFactory(InstitutionFactory)
    name = "University account"
    is_active = True
    issuer = factory.Sequence(lambda n: f"https://issuer{n}.example")
    client_id = "calendar"
    encrypted_secret = factory.LazyFunction(
        lambda: encryption.encrypt("provider secret of 32 bytes and more")
    )


class SignInRulesFactory(DjangoModelFactory):
    class Meta:
        model = models.SignInRules

    institution = factory.SubFactory(InstitutionFactory)


class RoleRuleFactory(DjangoModelFactory):
    class Meta:
        model = models.RoleRule

    method = factory.SubFactory(SignInMethodFactory)
    claim = "groups"
    value = factory.Sequence(lambda n: f"group{n}")
    group = factory.LazyFunction(lambda: Group.objects.get_or_create(name="editor")[0])


class SessionFactory(DjangoModelFactory):
    """Nobody's, with nothing in it."""

    class Meta:
        model = models.Session

    session_key = factory.Sequence(lambda n: opaque.digest(f"key {n}"))
    session_data = factory.LazyFunction(lambda: SessionStore().encode({}))
    expire_date = factory.LazyFunction(lambda: timezone.now() + timedelta(minutes=30))


class ServiceFactory(DjangoModelFactory):
    class Meta:
        model = models.Service

    code = factory.Sequence(lambda n: f"service{n}")
    name = factory.Sequence(lambda n: f"Service {n}")
    description = "Do something useful."


class ServiceKeyFactory(DjangoModelFactory):
    """A public key; ``secret="…"`` makes it confidential, ``services=[…]`` and
    ``institutions=[…]`` link them.
    """

    class Meta:
        model = models.ServiceKey
        skip_postgeneration_save = True

    class Params:
        canceled = factory.Trait(status=models.ServiceKey.Status.CANCELED)
        expired = factory.Trait(
            expires_at=factory.LazyFunction(lambda: timezone.now() - timedelta(days=1))
        )

    client_id = factory.Sequence(lambda n: f"key{n}")
    name = factory.Sequence(lambda n: f"Application {n}")
    redirect_uris = "https://client.example/cb"

    @factory.post_generation
    def secret(self, create, extracted, **kwargs):
        if extracted:
            self.set_secret(extracted, now=timezone.now())
            self.save()

    @factory.post_generation
    def services(self, create, extracted, **kwargs):
        for service in extracted or ():
            KeyServiceFactory(key=self, service=service)

    @factory.post_generation
    def institutions(self, create, extracted, **kwargs):
        for institution in extracted or ():
            KeyInstitutionFactory(key=self, institution=institution)


class KeyRefusalFactory(DjangoModelFactory):
    class Meta:
        model = models.KeyRefusal

    key = factory.SubFactory(ServiceKeyFactory)
    reason = "signature_invalid"
    status_code = 401
    method = "GET"
    path = "/events"


class SecretLinkFactory(DjangoModelFactory):
    """To the current secret of a key; ``token_text`` is what opens it."""

    class Meta:
        model = models.SecretLink

    class Params:
        token_text = factory.Sequence(lambda n: f"link{n}")

    key = factory.SubFactory(ServiceKeyFactory, secret="a secret")
    token_digest = factory.LazyAttribute(lambda o: opaque.digest(o.token_text))
    secret_created_at = factory.SelfAttribute("key.secret_created_at")
    made_by = "kim"
    expires_at = factory.LazyFunction(lambda: timezone.now() + timedelta(hours=1))


class KeyServiceFactory(DjangoModelFactory):
    class Meta:
        model = models.KeyService

    class Params:
        canceled = factory.Trait(status=models.KeyService.Status.CANCELED)
        expired = factory.Trait(
            expires_at=factory.LazyFunction(lambda: timezone.now() - timedelta(days=1))
        )

    key = factory.SubFactory(ServiceKeyFactory)
    service = factory.SubFactory(ServiceFactory)


class KeyInstitutionFactory(DjangoModelFactory):
    class Meta:
        model = models.KeyInstitution

    key = factory.SubFactory(ServiceKeyFactory)
    institution = factory.SubFactory(InstitutionFactory)


class PendingRequestFactory(DjangoModelFactory):
    """``handle_text`` and ``binding_text`` are what the browser holds."""

    class Meta:
        model = models.PendingRequest

    class Params:
        handle_text = factory.Sequence(lambda n: f"handle{n}")
        binding_text = "binding"

    handle = factory.LazyAttribute(lambda o: opaque.digest(o.handle_text))
    binding = factory.LazyAttribute(lambda o: opaque.digest(o.binding_text))
    key = factory.SubFactory(ServiceKeyFactory)
    redirect_uri = "https://client.example/cb"
    scope = "calendar_events"
    state = "xyz"
    code_challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    expires_at = factory.LazyFunction(lambda: timezone.now() + timedelta(minutes=10))


class OwnedFactory(DjangoModelFactory):
    """What belongs to a user at an institution, for a key."""

    class Meta:
        abstract = True

    user = factory.SubFactory(UserFactory)
    institution = factory.SelfAttribute("user.institution")
    application = factory.SubFactory(ServiceKeyFactory)
    scope = "calendar_events"


class GrantFactory(OwnedFactory):
    """An unredeemed code; ``code_text`` is what the client holds."""

    class Meta:
        model = models.Grant

    class Params:
        code_text = factory.Sequence(lambda n: f"auth_{n}")

    code = factory.LazyAttribute(lambda o: opaque.digest(o.code_text))
    redirect_uri = "https://client.example/cb"
    code_challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    code_challenge_method = "S256"
    expires = factory.LazyFunction(lambda: timezone.now() + timedelta(seconds=60))


class AccessTokenFactory(OwnedFactory):
    """A live token; ``token_text`` is what the client sends."""

    class Meta:
        model = models.AccessToken

    class Params:
        token_text = factory.Sequence(lambda n: f"tk_{n}")
        expired = factory.Trait(
            expires=factory.LazyFunction(lambda: timezone.now() - timedelta(seconds=1))
        )
        revoked = factory.Trait(revoked_at=factory.LazyFunction(timezone.now))

    token_checksum = factory.LazyAttribute(lambda o: opaque.digest(o.token_text))
    expires = factory.LazyFunction(lambda: timezone.now() + timedelta(minutes=20))


class RefreshTokenFactory(OwnedFactory):
    """A live refresh token; ``token_text`` is what the client holds."""

    class Meta:
        model = models.RefreshToken

    class Params:
        token_text = factory.Sequence(lambda n: f"rt_{n}")

    token_checksum = factory.LazyAttribute(lambda o: opaque.digest(o.token_text))
    token_family = factory.Faker("uuid4", cast_to=None)
    scope = "calendar_events refresh_token"
    expires_at = factory.LazyFunction(lambda: timezone.now() + timedelta(days=7))


class IDTokenFactory(DjangoModelFactory):
    class Meta:
        model = models.IDToken

    user = factory.SubFactory(UserFactory)
    application = factory.SubFactory(ServiceKeyFactory)
    expires = factory.LazyFunction(lambda: timezone.now() + timedelta(minutes=20))


class ConsentFactory(DjangoModelFactory):
    class Meta:
        model = models.Consent

    user = factory.SubFactory(UserFactory)
    key = factory.SubFactory(ServiceKeyFactory)
    institution = factory.SelfAttribute("user.institution")
    scope = "calendar_events"
    expires_at = factory.LazyFunction(lambda: timezone.now() + timedelta(days=90))


class AuditEventFactory(DjangoModelFactory):
    class Meta:
        model = models.AuditEvent

    action = models.AuditEvent.Action.LOGIN_SUCCEEDED
    actor = subject = "alice@1001"


class RefusalCountFactory(DjangoModelFactory):
    class Meta:
        model = models.RefusalCount

    action = models.AuditEvent.Action.CLIENT_REFUSED
    client_id = factory.Sequence(lambda n: f"key{n}")
    place = "192.0.2.1"
    since = factory.LazyFunction(timezone.now)
