import ahp_platform.agents.catalogue.rules
from django.db import migrations, models


# The number is raised in the transaction of the change: who sees it sees the change, and a change that is undone is not seen.
RAISE_VERSION = """
CREATE FUNCTION agents_catalogue_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO agents_catalogueversion (id, number) VALUES (1, 1)
    ON CONFLICT (id) DO UPDATE SET number = agents_catalogueversion.number + 1;
    RETURN NULL;
END $$;
CREATE TRIGGER agents_catalogue_changed AFTER INSERT OR UPDATE OR DELETE ON agents_agent
    FOR EACH STATEMENT EXECUTE FUNCTION agents_catalogue_changed();
CREATE TRIGGER agents_catalogue_changed AFTER INSERT OR UPDATE OR DELETE ON agents_agent_tenants
    FOR EACH STATEMENT EXECUTE FUNCTION agents_catalogue_changed();
"""
FORGET_VERSION = "DROP FUNCTION agents_catalogue_changed() CASCADE"


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0001_initial"),
        ("auth_app", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="CatalogueVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="Agent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "provider",
                    models.CharField(
                        help_text="Its name for clients, for ever: lower-case letters, digits and hyphens.",
                        max_length=63,
                        unique=True,
                        validators=[ahp_platform.agents.catalogue.rules.provider],
                        verbose_name="provider id",
                    ),
                ),
                ("display_name", models.CharField(help_text="What people see.", max_length=200)),
                (
                    "description",
                    models.TextField(
                        blank=True, default="", help_text="One sentence for the people who choose an agent."
                    ),
                ),
                (
                    "enabled",
                    models.BooleanField(
                        default=True, help_text="Off: nobody can use it; its sessions stay and say so."
                    ),
                ),
                ("command", models.JSONField(default=list, validators=[ahp_platform.agents.catalogue.rules.command])),
                (
                    "environment",
                    models.JSONField(
                        blank=True, default=dict, validators=[ahp_platform.agents.catalogue.rules.environment]
                    ),
                ),
                ("secrets", models.BinaryField(default=b"")),
                (
                    "offered_models",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text='A JSON list such as [{"id": "acme/m1", "name": "Model 1"}]; empty: what the agent itself reports.',
                        validators=[ahp_platform.agents.catalogue.rules.models],
                        verbose_name="models",
                    ),
                ),
                (
                    "everywhere",
                    models.BooleanField(
                        default=True, help_text="Off: only the tenants chosen below.", verbose_name="every tenant"
                    ),
                ),
                (
                    "roles",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="Who may start sessions and turns with it; none chosen: everybody who may act.",
                    ),
                ),
                (
                    "run_time_s",
                    models.PositiveIntegerField(
                        default=3600,
                        help_text="Seconds after which a turn is ended; 0: never.",
                        verbose_name="longest turn",
                    ),
                ),
                (
                    "memory_mb",
                    models.PositiveIntegerField(
                        default=4096, help_text="Mebibytes; 0: no limit.", verbose_name="memory"
                    ),
                ),
                (
                    "idle_s",
                    models.PositiveIntegerField(
                        default=600,
                        help_text="Seconds without a turn after which it is stopped; it goes on when asked again.",
                        verbose_name="idle stop",
                    ),
                ),
                (
                    "network",
                    models.BooleanField(
                        default=True, help_text="Whether it reaches the network; most need it for their models."
                    ),
                ),
                (
                    "own_home",
                    models.BooleanField(
                        default=True,
                        help_text="Whether it has a directory of its own in each tenant, where it keeps its sessions.",
                    ),
                ),
                (
                    "package_kind",
                    models.CharField(
                        blank=True,
                        choices=[("npm", "npm (Node.js)"), ("pip", "pip (Python)")],
                        default="",
                        max_length=8,
                        verbose_name="package from",
                    ),
                ),
                (
                    "package",
                    models.CharField(
                        blank=True, default="", help_text="Its name there, such as opencode-ai.", max_length=200
                    ),
                ),
                (
                    "package_version",
                    models.CharField(
                        blank=True, default="", help_text="Empty: the newest when it is installed.", max_length=100
                    ),
                ),
                (
                    "package_scripts",
                    models.BooleanField(
                        default=False,
                        help_text="Lets the package run code of its own, unfenced, while it is installed. Some, like opencode, need it.",
                        verbose_name="run its install scripts",
                    ),
                ),
                (
                    "install_state",
                    models.CharField(
                        choices=[
                            ("none", "nothing to install"),
                            ("waiting", "waits for a worker"),
                            ("installing", "is being installed"),
                            ("installed", "installed"),
                            ("failed", "could not be installed"),
                        ],
                        default="none",
                        editable=False,
                        max_length=16,
                    ),
                ),
                ("install_message", models.TextField(blank=True, default="", editable=False)),
                ("installed_version", models.CharField(blank=True, default="", editable=False, max_length=100)),
                ("folder", models.CharField(blank=True, default="", editable=False, max_length=200)),
                (
                    "check_state",
                    models.CharField(
                        choices=[
                            ("never", "never tried"),
                            ("waiting", "waits for a worker"),
                            ("checking", "is being tried"),
                            ("fine", "starts"),
                            ("failed", "does not start"),
                        ],
                        default="never",
                        editable=False,
                        max_length=16,
                    ),
                ),
                ("check_message", models.TextField(blank=True, default="", editable=False)),
                ("checked_at", models.DateTimeField(editable=False, null=True)),
                ("discovered", models.JSONField(default=dict, editable=False)),
                (
                    "asked_at",
                    models.DateTimeField(
                        editable=False, help_text="When a worker was last asked, or at work.", null=True
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("tenants", models.ManyToManyField(blank=True, related_name="+", to="auth_app.tenant")),
            ],
            options={
                "ordering": ["provider"],
            },
        ),
        migrations.RunSQL(RAISE_VERSION, FORGET_VERSION),
    ]
