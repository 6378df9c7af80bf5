"""What migrations of roles do to a database that people work with."""

from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connection

from authserver.models import User
from authserver.tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

migration = import_module("config.migrations.0002_failed_logins")


def migrate():
    migration.replace(apps, SimpleNamespace(connection=connection))


def test_who_might_see_the_failures_of_axes_sees_failed_logins():
    table = ContentType.objects.create(app_label="axes", model="accessfailurelog")
    old = Permission.objects.create(content_type=table, codename="view_accessfailurelog")
    helpers, auditors = (
        Group.objects.create(name="helpers"),
        Group.objects.get(name="auditor"),
    )
    new = Permission.objects.get(codename="view_loginfailure")
    auditors.permissions.remove(new)
    person = factories.UserFactory()
    helpers.permissions.add(old)
    person.user_permissions.add(old)

    migrate()

    assert new in helpers.permissions.all()
    assert User.objects.get(pk=person.pk).has_perm("authserver.view_loginfailure")
    # Taken from the role on purpose, before.
    assert new not in auditors.permissions.all()
    assert not Permission.objects.filter(content_type__app_label="axes").exists()


def test_on_a_new_database_the_roles_may_see_failed_logins_and_lift_locks():
    for group in Group.objects.all():
        group.permissions.remove(*Permission.objects.filter(codename__contains="loginfail"))

    migrate()

    held = {
        (group.name, permission.codename)
        for group in Group.objects.all()
        for permission in group.permissions.filter(codename__contains="loginfailure")
    }
    assert held == {
        ("auditor", "view_loginfailure"),
        *(
            (name, f"{verb}_loginfailure")
            for name in ("platform operator", "institution administrator")
            for verb in ("view", "delete")
        ),
    }
