"""Do clients hear of the agents that operators edit, and only of those that are theirs?"""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest

from tests.client import ROOT, Client
from tests.conftest import Connect
from tests.interaction.conversation import accepted, begin, new_session, refusal, turn_started
from tests.service import RunningService

SECRET = "sk-not-for-anybody-9482"


ROW = {
    "display_name": "Agent", "description": "", "enabled": True, "environment": "{}", "secrets": b"", "offered_models": "[]",
    "everywhere": True, "roles": "[]", "run_time_s": 60, "memory_mb": 0, "idle_s": 60, "network": False, "own_home": False,
    "package_kind": "", "package": "", "package_version": "", "package_scripts": False, "install_state": "none",
    "install_message": "", "installed_version": "", "folder": "", "check_state": "fine", "check_message": "",
    "discovered": "{}",
}  # fmt: skip
LINK = """
INSERT INTO agents_agent_tenants (agent_id, tenant_id)
SELECT a.id, t.id FROM agents_agent a, auth_app_tenant t WHERE a.provider = %(provider)s AND t.slug = %(tenant)s
"""


class Operator:
    """Somebody at the command line of the service's machine; what they have added is removed in the end."""

    def __init__(self, service: RunningService) -> None:
        self._service = service
        self._added: list[str] = []

    @property
    def latest(self) -> str:
        """The provider that was added last."""
        return self._added[-1]

    async def add(self, *options: str, command: str = "cat") -> str:
        """A new agent, at the command line; its provider."""
        provider = self._name()
        await self.do("add", provider, "--command", command, *options)
        return provider

    async def insert(self, command: str = "cat", tenant: str | None = None, **columns: Any) -> str:
        """As `add`, without a program that starts: what tests need that are not about it."""
        provider = self._name()
        values: dict[str, Any] = {**ROW, "provider": provider, "command": json.dumps([command]), **columns}
        names = ", ".join(values)
        places = ", ".join(f"%({name})s" for name in values)
        await self._execute(f"INSERT INTO agents_agent ({names}, created_at) VALUES ({places}, now())", **values)
        if tenant is not None:
            await self._execute(LINK, provider=provider, tenant=tenant)
        return provider

    def _name(self) -> str:
        self._added.append(f"agent-{uuid.uuid4().hex[:8]}")
        return self._added[-1]

    async def do(self, *words: str) -> str:
        """A command of theirs; the last line that it printed."""
        return await asyncio.to_thread(self._service.manage, "agent", *words)

    async def write(self, provider: str, **columns: Any) -> None:
        """Change the row past all checks, as a worker does."""
        changes = ", ".join(f"{name} = %({name})s" for name in columns)
        await self._execute(
            f"UPDATE agents_agent SET {changes} WHERE provider = %(provider)s", provider=provider, **columns
        )

    async def state(self, provider: str) -> tuple[Any, ...]:
        """The version that is installed, and how the agent stands."""
        query = "SELECT installed_version, install_state, check_state FROM agents_agent WHERE provider = %s"
        async with await psycopg.AsyncConnection.connect(self._service.env["DATABASE_URL"]) as conn:
            return await (await conn.execute(query, (provider,))).fetchone() or ()

    async def forget(self) -> None:
        """Remove everything."""
        await self._execute("DELETE FROM agents_agent_tenants")
        await self._execute("DELETE FROM agents_agent WHERE provider = ANY(%(added)s)", added=self._added)

    async def _execute(self, statement: str, **values: Any) -> None:
        async with await psycopg.AsyncConnection.connect(self._service.env["DATABASE_URL"], autocommit=True) as conn:
            await conn.execute(statement, values)


@pytest.fixture
async def operator(service: RunningService) -> AsyncIterator[Operator]:
    working = Operator(service)
    yield working
    await working.forget()


def told(client: Client, provider: str) -> list[dict[str, Any] | None]:
    """What each `root/agentsChanged` said of an agent; None where it was not among the others."""
    changes = [one["action"] for one in client.envelopes if one["action"]["type"] == "root/agentsChanged"]
    return [next((info for info in one["agents"] if info["provider"] == provider), None) for one in changes]


async def hears(client: Client, provider: str, **values: Any) -> None:
    """Wait until the last news of the agent has these values."""

    def last() -> bool:
        found = told(client, provider)
        return bool(found) and found[-1] is not None and values.items() <= found[-1].items()

    await client.until(last, f"news of {provider} with {values}")


async def hears_it_is_gone(client: Client, provider: str) -> None:
    """Wait until the last news are without the agent."""
    await client.until(lambda: told(client, provider)[-1:] == [None], f"news without {provider}")


async def test_each_edit_is_told_once_to_those_who_may_use_the_agent(connect: Connect, operator: Operator) -> None:
    alice, bob, carol = await connect("alice", ROOT), await connect("bob", ROOT), await connect("carol", ROOT)
    provider = await operator.add("--name", "First", "--tenant", "demo", "--no-wait")
    for client in (alice, bob):
        await hears(client, provider, displayName="First")
    await operator.write(provider, display_name="Second")
    await hears(alice, provider, displayName="Second")
    await operator.write(provider, enabled=False)
    await hears_it_is_gone(alice, provider)
    await operator.write(provider, enabled=True)
    await hears(alice, provider, displayName="Second")
    await operator.do("remove", provider)
    await hears_it_is_gone(alice, provider)
    names = [info and info["displayName"] for info in told(alice, provider)]
    assert names == ["First", "Second", None, "Second", None]
    await carol.fence()
    assert [info for info in told(carol, provider) if info] == []


async def test_an_agent_of_others_is_unknown(connect: Connect, operator: Operator) -> None:
    alice, carol = await connect("alice", ROOT), await connect("carol", ROOT)
    provider = await operator.insert(tenant="demo", everywhere=False)
    await hears(alice, provider)
    never = f"agent-{uuid.uuid4().hex[:8]}"
    for method in ("resolveSessionConfig", "createSession"):
        channel = {"channel": new_session()} if method == "createSession" else {}
        theirs = await carol.refused(method, {"provider": provider, **channel})
        nobodys = await carol.refused(method, {"provider": never, **channel})
        assert (theirs.code, str(theirs)) == (nobodys.code, str(nobodys)) == (-32002, "-32002 No such agent")
    agents = (await carol.subscribe(ROOT))["state"]["agents"]
    assert provider not in {agent["provider"] for agent in agents}


async def test_a_role_that_may_not_use_an_agent_starts_nothing_with_it(connect: Connect, operator: Operator) -> None:
    alice, bob = await connect("alice", ROOT), await connect("bob")
    provider = await operator.insert(roles='["owner"]')
    await hears(alice, provider)
    error = await bob.refused("createSession", {"channel": new_session(), "provider": provider})
    assert (error.code, "not for the role member" in str(error)) == (-32009, True)
    talk = await begin(alice, provider=provider)
    theirs = await talk.joined_by(bob)
    assert "not for the role member" in await refusal(bob, theirs.chat, turn_started("hello"))


async def test_what_an_agent_lets_people_set_is_the_sessions_configuration(
    connect: Connect, operator: Operator
) -> None:
    alice = await connect("alice", ROOT)
    mode = {"type": "string", "title": "Mode", "enum": ["ask", "code"], "default": "ask", "sessionMutable": True}
    provider = await operator.insert(discovered=json.dumps({"properties": {"mode": mode}}))
    await hears(alice, provider)
    resolved = await alice.request("resolveSessionConfig", {"provider": provider, "config": {"mode": "code"}})
    assert resolved["schema"]["properties"]["mode"] == mode
    assert {"visibility", "members"} < resolved["schema"]["properties"].keys()
    assert resolved["values"]["mode"] == "code"
    for config in ({"mode": "fly"}, {"mode": 1}):
        error = await alice.refused("resolveSessionConfig", {"provider": provider, "config": config})
        assert (error.code, "params.config.mode" in str(error)) == (-32602, True)
        params = {"channel": new_session(), "provider": provider, "config": config}
        assert (await alice.refused("createSession", params)).code == -32602
    talk = await begin(alice, provider=provider)
    assert talk.session_state["config"]["values"]["mode"] == "ask"
    assert "none of the values" in await refusal(alice, talk.session, changed_config(mode="fly"))
    await accepted(alice, talk.session, changed_config(mode="code"))
    assert talk.session_state["config"]["values"]["mode"] == "code"


def changed_config(**values: Any) -> dict[str, Any]:
    return {"type": "session/configChanged", "config": values}


async def test_a_session_whose_agent_is_not_on_the_host_is_not_created(connect: Connect, operator: Operator) -> None:
    alice = await connect("alice", ROOT)
    provider = await operator.insert("there-is-no-such-program")
    await hears(alice, provider)
    uri = new_session()
    await alice.request("createSession", {"channel": uri, "provider": provider})
    state = (await alice.subscribe(uri))["state"]
    error = state.get("creationError") or (await alice.action(uri, "session/creationFailed"))["action"]["error"]
    assert error["errorType"] == "agent"
    assert "there-is-no-such-program, is not on this host" in error["message"]


async def test_a_session_whose_agent_is_removed_says_so_at_its_next_turn(connect: Connect, operator: Operator) -> None:
    alice = await connect("alice", ROOT)
    provider = await operator.insert()
    await hears(alice, provider)
    talk = await begin(alice, provider=provider)
    await operator.forget()
    await hears_it_is_gone(alice, provider)
    ending = await talk.ended(await talk.start("hello"))
    assert ending["error"]["errorType"] == "agentMissing"
    assert "no longer installed" in ending["error"]["message"]


async def test_a_session_waits_for_its_agent_to_be_installed(connect: Connect, operator: Operator) -> None:
    alice = await connect("alice", ROOT)
    # As if a worker were at it, for as long as the test likes.
    busy = {"install_state": "installing", "install_message": "half of it is there", "asked_at": "2999-01-01"}
    provider = await operator.insert(display_name="Slow", package_kind="npm", package="semver", **busy)
    await hears(alice, provider)
    uri = new_session()
    await alice.request("createSession", {"channel": uri, "provider": provider, "progressToken": "t"})
    progress = await alice.notification("root/progress", progressToken="t")
    assert progress["message"] == "Slow is being installed: half of it is there"
    await operator.write(provider, install_state="failed", install_message="for operators only")
    await alice.subscribe(uri)
    error = (await alice.action(uri, "session/creationFailed"))["action"]["error"]
    assert "could not be installed" in error["message"]
    assert "for operators only" not in error["message"]
    steps = [one["params"]["progress"] for one in alice.notifications if one["method"] == "root/progress"]
    assert steps == sorted(steps)


async def test_a_package_is_installed_by_a_worker_and_tried(operator: Operator) -> None:
    # A program that lays out tables speaks no Agent Client Protocol, and who waits at the command line is told so.
    with pytest.raises(AssertionError, match="CommandError"):
        await operator.add("--pip", "tabulate==0.9.0", command="tabulate --help")
    assert await operator.state(operator.latest) == ("0.9.0", "installed", "failed")


async def test_a_package_that_does_not_exist_is_an_error_for_the_operator(operator: Operator) -> None:
    with pytest.raises(AssertionError, match=r"CommandError.*ahp-platform-tests-no-such-package"):
        await operator.add("--pip", "ahp-platform-tests-no-such-package", command="tabulate")
    assert (await operator.state(operator.latest))[1] == "failed"


async def test_secrets_stay_where_they_are(service: RunningService, connect: Connect, operator: Operator) -> None:
    alice = await connect("alice", ROOT)
    service.env["AGENT_TEST_KEY"] = SECRET
    with pytest.raises(AssertionError, match="CommandError") as failed:
        await operator.add("--secret", "AGENT_TEST_KEY", command="sh -c 'echo $AGENT_TEST_KEY >&2; exit 3'")
    provider = operator.latest
    await hears(alice, provider)
    talk = await begin(alice, provider=provider)
    await talk.ended(await talk.start("hello"))
    everything = [json.dumps(alice.frames), *service.lines, str(failed.value), await operator.do("show", provider)]
    assert [text for text in everything if SECRET in text] == []
