from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("authserver", "0017_user_search"),
    ]

    operations = [
        migrations.DeleteModel(
            name="JobFilePart",
        ),
        migrations.DeleteModel(
            name="Job",
        ),
    ]
