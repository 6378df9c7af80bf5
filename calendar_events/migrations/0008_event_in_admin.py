"""The index that lists of events in admin are counted and sorted in."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('calendar_events', '0007_admin_at_scale'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddIndex(
            model_name='event',
            index=models.Index(fields=['institution', 'status', 'published_at', 'author', 'password', 'featured', 'sticky', 'hide_from_listings', 'sort_text', 'timezone', 'start_local', 'id'], name='event_in_admin'),
        ),
    ]
