from django.db import migrations, models

# With the rights of whoever asks: the view shows what the table shows them.
VIEW = """
CREATE VIEW sessions_app_livesession WITH (security_invoker = true) AS
SELECT s.tenant_id || ' ' || s.uri AS id, s.tenant_id, s.uri, s.owner_id, s.provider, s.title, s.status,
    s.readers IS NOT NULL AS is_private, coalesce(r.running, 0)::int AS running_turns, s.created_at, s.modified_at
FROM sessions_app_session s LEFT JOIN (
    SELECT tenant_id, session, count(*) AS running FROM agents_turn
    WHERE state = 'waiting' OR state = 'running' GROUP BY tenant_id, session
) r ON r.tenant_id = s.tenant_id AND r.session = s.uri
"""


class Migration(migrations.Migration):

    dependencies = [
        ('sessions_app', '0001_initial'),
        ('agents', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='LiveSession',
            fields=[
                ('id', models.TextField(primary_key=True, serialize=False)),
                ('uri', models.TextField(verbose_name='URI')),
                ('provider', models.TextField(verbose_name='agent')),
                ('title', models.TextField()),
                ('status', models.IntegerField()),
                ('is_private', models.BooleanField(verbose_name='private')),
                ('running_turns', models.IntegerField()),
                ('created_at', models.DateTimeField()),
                ('modified_at', models.DateTimeField(verbose_name='last change')),
            ],
            options={
                'verbose_name': 'live session',
                'db_table': 'sessions_app_livesession',
                'ordering': ['-modified_at'],
                'managed': False,
            },
        ),
        migrations.RunSQL(VIEW, "DROP VIEW sessions_app_livesession"),
    ]
