"""django-allauth counts failed logins, in the default cache; those in force go on there."""

import hashlib
from datetime import timedelta

from django.db import migrations
from django.utils import timezone


def carry_over(apps, schema_editor):
    """Count in the cache what is in the table and still counts, the newest first."""
    from allauth.core.internal import ratelimit
    from django.core.cache import cache

    failures = apps.get_model("authserver", "LoginFailure").objects.order_by("-at", "-pk")
    for rate in ratelimit.get_rates(app="allauth.account", action="login_failed"):
        since = timezone.now() - timedelta(seconds=rate.duration)
        counted = {}
        for failure in failures.filter(at__gt=since).iterator():
            if rate.per == "key" and not failure.is_over:
                counted.setdefault(failure.account, []).append(failure.at.timestamp())
            elif rate.per == "ip" and failure.address:
                counted.setdefault(failure.address, []).append(failure.at.timestamp())
        for name, moments in counted.items():
            digest = hashlib.sha256(name.encode()).hexdigest()
            source = digest if rate.per == "key" else f"ip:{name}"
            key = f"allauth:rl:allauth.account:login_failed:{rate}:{source}"
            cache.set(key, moments[: rate.amount], rate.duration)


class Migration(migrations.Migration):
    dependencies = [("authserver", "0019_openid_connect")]
    operations = [
        migrations.RunPython(carry_over, migrations.RunPython.noop),
        migrations.DeleteModel(name="LoginFailure"),
    ]
