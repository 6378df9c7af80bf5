from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('calendar_events', '0013_series'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='event',
            index=models.Index(condition=models.Q(('series__isnull', False)), fields=['series', 'original_start_local'], name='event_series'),
        ),
    ]
