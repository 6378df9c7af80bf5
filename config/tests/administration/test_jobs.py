"""The list of jobs, and their pages: everybody's own, and all for the platform."""

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from authserver.models import Job, User
from authserver.tests import factories
from config.tests.administration import pages

pytestmark = pytest.mark.django_db


@pytest.fixture
def editor(staff, here):
    return staff("editor", at=here.institution)


@pytest.fixture
def jobs(staff, here, there, editor, ines):
    """One of each: an editor, a colleague, a neighbour, somebody of the platform."""
    neighbour = staff("institution administrator", at=there.institution)
    someone = staff("platform operator")
    return {
        name: factories.JobFactory(user=each.user)
        for name, each in (
            ("editor", editor),
            ("ines", ines),
            ("neighbour", neighbour),
            ("platform", someone),
        )
    }


def listed(someone, **query):
    return set(someone.get(pages.about(Job), **query).context["cl"].result_list)


@pytest.mark.parametrize("who", ["editor", "ines"])
def test_staff_of_an_institution_see_their_own_jobs(request, jobs, who):
    someone = request.getfixturevalue(who)

    answers = {name: someone.get(pages.of(job)) for name, job in jobs.items()}

    assert listed(someone) == {jobs[who]}
    assert {name for name, each in answers.items() if each.status_code == 200} == {who}


def test_a_superuser_of_an_institution_sees_no_more(ines, jobs):
    ines.user.is_superuser = True
    ines.user.save()

    assert listed(ines) == {jobs["ines"]}


@pytest.mark.parametrize("who", ["oscar", "uma"])
def test_who_looks_after_the_platform_sees_all(request, jobs, who):
    someone = request.getfixturevalue(who)

    assert listed(someone) == set(jobs.values())
    assert someone.get(pages.of(jobs["neighbour"])).status_code == 200


def test_other_staff_of_the_platform_see_their_own(kim, jobs):
    mine = factories.JobFactory(user=kim.user)

    assert listed(kim) == {mine}
    assert kim.get(pages.of(jobs["platform"])).status_code == 302


def test_a_job_that_was_asked_for_at_another_institution_stays_there(ines, there, jobs):
    Job.objects.filter(user=ines.user).update(institution=there.institution)

    assert listed(ines) == set()


def test_jobs_are_neither_added_nor_changed_nor_deleted_by_hand(oscar, jobs):
    job = jobs["platform"]

    add = oscar.get(pages.about(Job, "add"))
    change = oscar.post(pages.of(job), title="Mine")
    delete = oscar.post(pages.of(job, "delete"), post="yes")

    assert [each.status_code for each in (add, change, delete)] == [403, 403, 403]


def test_every_page_leads_to_the_own_jobs(editor):
    link = f'<a href="{pages.about(Job)}">My jobs</a>'

    page = editor.get(reverse("admin:index")).content.decode()

    assert link in page


def test_jobs_are_found_by_their_state(oscar):
    waits = factories.JobFactory()
    done = factories.JobFactory(finished=True)
    failed = factories.JobFactory(error="OperationalError: full")

    assert listed(oscar, state="open") == {waits, failed}
    assert listed(oscar, state="error") == {failed}
    assert listed(oscar) == {waits, done, failed}
    page = oscar.get(pages.about(Job)).content.decode()
    for state in ("Waiting", "Done", "Failed; retried"):
        assert state in page


def test_a_list_of_jobs_costs_the_same_however_long(oscar, django_assert_num_queries):
    factories.JobFactory()
    oscar.get(pages.about(Job))
    with CaptureQueriesContext(connection) as few:
        oscar.get(pages.about(Job))
    factories.JobFactory.create_batch(9)

    with django_assert_num_queries(len(few)):
        oscar.get(pages.about(Job))


@pytest.mark.parametrize("is_superuser", [True, False])
def test_jobs_of_an_account_go_with_it(staff, here, is_superuser):
    operator = staff("platform operator", is_superuser=is_superuser)
    operator.user.user_permissions.add(Permission.objects.get(codename="delete_user"))
    gone = factories.UserFactory(institution=here.institution)
    factories.JobFilePartFactory(job__user=gone, job__finished=True)

    asked = operator.get(pages.of(gone, "delete")).content.decode()
    operator.post(pages.of(gone, "delete"), post="yes")

    assert "Are you sure" in asked
    assert not User.objects.filter(pk=gone.pk).exists()
    assert not Job.objects.exists()
