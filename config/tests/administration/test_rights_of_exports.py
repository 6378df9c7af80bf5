"""The file of an export is for who asked, with the rights of the moment."""

import pytest
from django.contrib.auth.models import Group

from authserver.jobs import running
from authserver.models import Institution, Job, JobFilePart, User
from config.tests.administration.exports import ask, download, lines, only

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_few_are_many")]


def lose_role(user):
    user.groups.clear()


def move(user):
    user.institution = Institution.objects.get(registry_id="1002")
    user.save()


def disable(user):
    User.objects.filter(pk=user.pk).update(is_active=False)


def close_institution(user):
    Institution.objects.filter(pk=user.institution_id).update(is_active=False)


def require_password(user):
    User.objects.filter(pk=user.pk).update(must_change_password=True)


LOSSES = [lose_role, move, disable, close_institution, require_password]


@pytest.mark.parametrize("lose", LOSSES[:-1])
def test_who_lost_the_right_before_it_is_made_gets_no_file(ines, record, work, lose):
    ask(ines)
    running._do_portion(only().pk)
    lose(User.objects.get(pk=ines.user.pk))

    work()

    job = only()
    assert (job.error, job.position) == (running.NO_RIGHT, 3)
    assert job.finished_at
    assert not JobFilePart.objects.exists()


@pytest.mark.parametrize("lose", LOSSES)
def test_who_lost_the_right_afterwards_cannot_fetch_the_file(ines, record, work, lose):
    ask(ines)
    work()
    ines.user.groups.add(Group.objects.get(name="reader"))
    lose(User.objects.get(pk=ines.user.pk))
    User.objects.get(pk=ines.user.pk).groups.add(Group.objects.get(name="reader"))

    assert download(ines, only()).status_code in {302, 403}
    assert JobFilePart.objects.exists()


def test_a_role_that_grew_smaller_leaves_the_rows_of_the_institution(
    staff, record, here, work
):
    someone = staff("platform operator")
    ask(someone)
    someone.user.institution = here.institution
    someone.user.save()
    someone.client.force_login(someone.user)
    Job.objects.update(institution=here.institution)

    work()
    answer = download(someone, only())

    assert {row["registry_id"] for row in lines(answer)} == {"1001"}


@pytest.mark.parametrize("who", ["neighbour", "colleague", "oscar", "uma"])
def test_nobody_else_fetches_the_file(request, staff, here, there, ines, record, work, who):
    others = {"neighbour": there.institution, "colleague": here.institution}
    someone = (
        staff("institution administrator", at=others[who])
        if who in others
        else request.getfixturevalue(who)
    )
    ask(ines)
    work()

    assert download(someone, only()).status_code == 404


def test_an_export_cannot_be_asked_for_by_who_may_not_read_the_record(staff, record, here):
    editor = staff("editor", at=here.institution)

    assert ask(editor).status_code == 403
    assert not Job.objects.exists()
