"""Is it written down who did what, and does it stay written down?"""

from __future__ import annotations

import asyncio
import csv
import io
import json
import uuid
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.test import Client as Browser
from django.utils import timezone

from auth_app import audit
from auth_app.audit_export import as_csv
from auth_app.models import AuditEvent, Membership
from tests.auth.oauth_clients import application, library
from tests.conftest import Connect
from tests.interaction.conversation import begin, new_session, turn_started, user


def acts() -> list[tuple[str, str, str]]:
    return list(AuditEvent.objects.order_by("id").values_list("act", "username", "outcome"))


@pytest.fixture
def quiet(seeded: Any) -> Any:
    """The demo people, and an empty log."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL ahp.audit_retention = 'on'")
        AuditEvent.objects.all()._raw_delete("default")
    return seeded


def test_logins_are_written_down_whether_they_succeed_or_not(quiet: Any) -> None:
    bob = quiet.user("bob")
    bob.set_password("bob's own")
    bob.save()
    browser = Browser(REMOTE_ADDR="192.0.2.7")
    browser.post("/login/", {"username": "bob", "password": "wrong one"})
    browser.post("/login/", {"username": "bob", "password": "bob's own"})
    browser.post("/logout/")
    assert acts() == [("login", "bob", "refused"), ("login", "bob", "done"), ("logout", "bob", "done")]
    assert set(AuditEvent.objects.values_list("address", flat=True)) == {"192.0.2.7"}
    assert "wrong one" not in json.dumps(list(AuditEvent.objects.values()), default=str)


def test_tries_while_nobody_may_try_are_written_down_too(quiet: Any) -> None:
    browser = Browser(REMOTE_ADDR="192.0.2.8")
    for _ in range(12):
        browser.post("/login/", {"username": "bob", "password": "wrong one"})
    assert [act[0] for act in acts()] == ["login"] * 12
    subjects = list(AuditEvent.objects.order_by("id").values_list("subject", flat=True))
    assert (subjects[0], subjects[-1]) == ("", "locked out")


def test_memberships_and_tokens_are_written_down(quiet: Any, live_server: Any) -> None:
    member = Membership.objects.get(user=quiet.user("bob"))
    member.role = "viewer"
    member.save()
    script = library(
        application("client-credentials", public=False, user=quiet.user("bob"), tenant="demo"), live_server.url
    )
    token = script.fetch_token(f"{live_server.url}/o/token/", grant_type="client_credentials")
    script.revoke_token(f"{live_server.url}/o/revoke_token/", token["access_token"])
    member.delete()
    assert [act for act, _, _ in acts()] == [
        "membership.changed",
        "token.issued",
        "token.revoked",
        "membership.removed",
    ]
    assert token["access_token"] not in json.dumps(list(AuditEvent.objects.values()), default=str)


def test_nothing_is_changed_or_removed_except_by_the_retention(seeded: Any) -> None:
    audit.record("test")
    for attempt in (AuditEvent.objects.update, AuditEvent.objects.all().delete):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            attempt(**({"act": "other"} if attempt == AuditEvent.objects.update else {}))
    assert AuditEvent.objects.filter(act="test").exists()


def test_rows_outlive_the_users_and_tenants_that_they_name(quiet: Any) -> None:
    bob, tenant = quiet.user("bob"), quiet.tenant()
    audit.record("test", bob, tenant.pk)
    bob.delete()
    tenant.delete()
    assert AuditEvent.objects.filter(act="test", username="bob").exists()


def test_the_log_is_exported_as_csv_and_as_json_lines(quiet: Any, capsys: pytest.CaptureFixture[str]) -> None:
    audit.record("test", quiet.user("bob"), quiet.tenant().pk, subject='=HYPERLINK("x")')
    audit.record("elsewhere")
    call_command("audit", "--format", "jsonl", "--tenant", "demo")
    (line,) = capsys.readouterr().out.splitlines()
    assert {k: v for k, v in json.loads(line).items() if k in ("tenant", "username", "act")} == {
        "tenant": "demo", "username": "bob", "act": "test"
    }  # fmt: skip
    rows = list(csv.DictReader(io.StringIO("".join(as_csv(AuditEvent.objects.order_by("id"))))))
    assert [row["act"] for row in rows] == ["test", "elsewhere"]
    assert rows[0]["subject"].startswith("'=")


def test_what_is_old_goes(quiet: Any, settings: Any) -> None:
    settings.AHP_AUDIT_DAYS = 30
    AuditEvent.objects.bulk_create([AuditEvent(act="old", outcome="done"), AuditEvent(act="new", outcome="done")])
    # `at` cannot be set back: the row is written anew, as a restore would.
    with connection.cursor() as cursor:
        long_ago = timezone.now() - timedelta(days=31)
        cursor.execute(
            "INSERT INTO auth_app_auditevent (at, act, outcome, username, address, subject) VALUES (%s, 'older', 'done', '', '', '')",
            [long_ago],
        )
        cursor.execute("BEGIN; SET LOCAL ahp.audit_retention = 'on'")
        cursor.execute(audit._TRIM, (settings.AHP_AUDIT_DAYS,))
        cursor.execute("COMMIT")
    assert sorted(act for act, _, _ in acts()) == ["new", "old"]


async def test_sessions_approvals_and_refused_acts_name_who_it_was(connect: Connect, service_database: str) -> None:
    alice, vera = await connect("alice"), await connect("vera")
    talk = await begin(alice)
    await alice.dispatch(talk.chat, turn_started("tool x.txt hello"))
    ready = await alice.action(talk.chat, "chat/toolCallReady")
    call = ready["action"]
    await (await talk.joined_by(await connect("bob"))).client.dispatch(
        talk.chat,
        {"type": "chat/toolCallConfirmed", "turnId": call["turnId"], "toolCallId": call["toolCallId"], "approved": True,
         "confirmed": "user-action"},
    )  # fmt: skip
    await alice.action(talk.chat, "chat/turnComplete")
    await vera.refused("createSession", {"channel": new_session(), "provider": "demo"})
    await alice.request("disposeSession", {"channel": talk.session})
    await vera.fence()

    def rows() -> list[tuple[str, str, str, str]]:
        with psycopg.connect(service_database) as database:
            return database.execute("SELECT act, username, outcome, address FROM auth_app_auditevent").fetchall()

    found = await asyncio.to_thread(rows)
    for row in (
        ("createSession", "alice", "done"),
        ("tool.approved", "bob", "done"),
        ("createSession", "vera", "refused"),
        ("disposeSession", "alice", "done"),
    ):
        assert (*row, "127.0.0.1") in found


SECRET = "only-for-the-two-of-us"


async def test_what_people_say_and_write_is_nowhere_in_the_log(connect: Connect, service_database: str) -> None:
    alice = await connect("alice")
    talk = await begin(alice)
    await alice.dispatch(talk.session, {"type": "session/titleChanged", "title": SECRET})
    await alice.dispatch(talk.chat, turn_started(f"tool x.txt {SECRET}"))
    call = (await alice.action(talk.chat, "chat/toolCallReady"))["action"]
    denied = {"type": "chat/toolCallConfirmed", "turnId": call["turnId"], "toolCallId": call["toolCallId"]}
    await alice.dispatch(talk.chat, {**denied, "approved": False, "reason": "denied", "userSuggestion": user(SECRET)})
    await alice.action(talk.chat, "chat/turnComplete")
    await alice.refused("authenticate", {"resource": "https://x.example", "token": SECRET})
    terminal = f"ahp-terminal:/{uuid.uuid4()}"
    claim = {"kind": "client", "clientId": alice.client_id}
    await alice.request("createTerminal", {"channel": terminal, "claim": claim, "name": SECRET})
    await alice.dispatch(terminal, {"type": "terminal/input", "data": f"echo {SECRET}\n"})
    await alice.request("disposeTerminal", {"channel": terminal})
    await alice.request("disposeSession", {"channel": talk.session})

    def rows() -> str:
        with psycopg.connect(service_database) as database:
            return str(database.execute("SELECT * FROM auth_app_auditevent").fetchall())

    written = await asyncio.to_thread(rows)
    assert "tool.denied" in written
    assert terminal in written
    assert SECRET not in written
