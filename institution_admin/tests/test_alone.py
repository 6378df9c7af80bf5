"""It works in a project with none of the apps, and a user model of its own."""

import subprocess
import sys
from pathlib import Path

PROJECT = {
    "settings.py": """
SECRET_KEY = "x" * 50
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
ALLOWED_HOSTS = ["testserver"]
ROOT_URLCONF = "urls"
STATIC_URL = "/static/"
AUTH_USER_MODEL = "library.User"
INSTALLED_APPS = [
    *(f"django.contrib.{name}" for name in (
        "admin", "auth", "contenttypes", "sessions", "messages"
    )),
    "institution_admin",
    "library",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
TEMPLATES = [{
    "BACKEND": "django.template.backends.django.DjangoTemplates",
    "APP_DIRS": True,
    "OPTIONS": {"context_processors": [
        "django.template.context_processors.request",
        "django.contrib.auth.context_processors.auth",
        "django.contrib.messages.context_processors.messages",
    ]},
}]
""",
    "urls.py": """
from django.contrib import admin
from django.urls import path
urlpatterns = [path("admin/", admin.site.urls)]
""",
    "library/__init__.py": "",
    "library/models.py": """
from django.contrib.auth.models import AbstractUser
from django.db import models

class Institution(models.Model):
    name = models.CharField(max_length=20)

class User(AbstractUser):
    institution = models.ForeignKey(Institution, models.CASCADE, null=True)

class Book(models.Model):
    title = models.CharField(max_length=20)
    institution = models.ForeignKey(Institution, models.CASCADE)

    def __str__(self):
        return self.title
""",
    "library/admin.py": """
from django.contrib import admin
from institution_admin import InstitutionScopedAdmin
from library.models import Book

@admin.register(Book)
class BookAdmin(InstitutionScopedAdmin):
    institution_path = "institution"
    search_fields = ["title"]
""",
}
VISIT = """
import sys
import django
django.setup()
from django.core.management import call_command
from django.template.loader import get_template
from django.test import Client

call_command("check", fail_level="WARNING", verbosity=0)
call_command("migrate", run_syncdb=True, verbosity=0)
get_template("admin/institution_admin/list_page.html")
from django.contrib.auth.models import Permission
from library.models import Book, Institution, User

ours, theirs = (Institution.objects.create(name=name) for name in ("ours", "theirs"))
for title, institution in (("Emma", ours), ("Persuasion", theirs)):
    Book.objects.create(title=title, institution=institution)
user = User.objects.create_user("dora", is_staff=True, institution=ours)
user.user_permissions.set(Permission.objects.filter(content_type__model="book"))
client = Client()
client.force_login(user)
page = client.get("/admin/library/book/").content.decode()
other = client.get(f"/admin/library/book/{Book.objects.last().pk}/change/").status_code
print("Emma" in page, "Persuasion" in page, other)
others = {"authserver", "calendar_events", "config", "platform_errors", "rest_framework"}
print(sorted(others & set(sys.modules)))
"""


def test_staff_of_an_institution_meet_its_rows_in_a_project_without_the_apps(tmp_path):
    (tmp_path / "library").mkdir()
    for name, text in PROJECT.items():
        (tmp_path / name).write_text(text)

    finished = subprocess.run(
        [sys.executable, "-W", "error", "-c", VISIT],
        env={
            "DJANGO_SETTINGS_MODULE": "settings",
            "PYTHONPATH": f"{tmp_path}:{Path(__file__).parents[2]}",
        },
        capture_output=True,
        text=True,
        check=False,
    )

    assert finished.stdout.splitlines()[-2:] == ["True False 302", "[]"], finished.stderr
