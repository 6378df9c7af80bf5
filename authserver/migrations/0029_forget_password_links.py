"""Requests of password links are deleted with the addresses that they were made from.

``clear_expired`` knows the table no more, and the links in it do not work any more.
"""

from django.db import migrations


class Migration(migrations.Migration):
    atomic = False  # one statement, which may be repeated

    dependencies = [
        ("authserver", "0028_links_without_rows"),
    ]

    operations = [
        migrations.RunSQL("DELETE FROM authserver_passwordlink", migrations.RunSQL.noop),
    ]
