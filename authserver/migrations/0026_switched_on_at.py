from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("authserver", "0025_saml"),
    ]

    operations = [
        migrations.AddField(
            model_name="institution",
            name="switched_on_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="user",
            name="switched_on_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
    ]
