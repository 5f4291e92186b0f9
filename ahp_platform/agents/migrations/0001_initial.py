import django.db.models.deletion
import django.db.models.manager
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [("auth_app", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="Turn",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("chat", models.TextField()),
                ("session", models.TextField()),
                ("turn_id", models.TextField()),
                ("provider", models.TextField()),
                (
                    "state",
                    models.TextField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("running", "Running"),
                            ("complete", "Complete"),
                            ("cancelled", "Cancelled"),
                            ("error", "Error"),
                        ],
                        default="waiting",
                    ),
                ),
                ("error_type", models.TextField(null=True)),
                (
                    "user_id",
                    models.IntegerField(
                        help_text="Who started it; the turn acts with this user's credentials.", null=True
                    ),
                ),
                ("model", models.TextField(default="")),
                ("created_at", models.DateTimeField()),
                ("started_at", models.DateTimeField(null=True)),
                ("ended_at", models.DateTimeField(null=True)),
                ("duration_ms", models.BigIntegerField(null=True)),
                ("input_tokens", models.BigIntegerField(default=0)),
                ("output_tokens", models.BigIntegerField(default=0)),
                ("cached_tokens", models.BigIntegerField(default=0)),
                ("host", models.UUIDField(null=True)),
                ("fence", models.IntegerField(default=0)),
                ("lease_until", models.DateTimeField(null=True)),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="auth_app.tenant",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "indexes": [
                    models.Index(condition=models.Q(("state", "waiting")), fields=["id"], name="turn_to_claim"),
                    models.Index(condition=models.Q(("state", "running")), fields=["lease_until"], name="turn_lease"),
                    models.Index(fields=["tenant", "created_at"], name="turn_report"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "chat", "turn_id"), name="turn_once_per_chat")
                ],
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
    ]
