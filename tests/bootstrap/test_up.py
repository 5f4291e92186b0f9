"""Does `up` bring the whole service, say where it is, and go away without a trace?"""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path

import httpx
import psutil

from ahp_platform.supervise.program import manage
from tests.client import ROOT
from tests.conftest import Connect
from tests.service import RunningService, own_data


def test_up_prints_a_page_a_login_and_a_socket(service: RunningService) -> None:
    assert service.wait_said(rf"^  page +http://127.0.0.1:{service.port}/$")
    assert service.wait_said(rf"^  WebSocket +ws://127.0.0.1:{service.port}/ahp/demo")
    assert all(service.password(name) for name in ("alice", "bob", "vera", "carol"))


def test_up_says_that_it_is_ready_only_when_it_is(service: RunningService) -> None:
    answer = httpx.get(f"{service.http}/readyz").json()
    assert (answer["status"], answer["away"]) == ("ok", [])


def test_the_page_and_what_it_loads_are_served(service: RunningService) -> None:
    with httpx.Client(base_url=service.http, follow_redirects=True) as browser:
        page = browser.get("/")
        assert page.status_code == 200
        assert "default-src 'none'" in page.headers["content-security-policy"]
        assert browser.get("/static/workbench/wire.js").headers["content-type"].startswith("text/javascript")
        assert browser.get("/admin/login/").status_code == 200


def test_counters_are_there_for_prometheus(service: RunningService) -> None:
    assert "process_cpu_seconds_total" in httpx.get(f"{service.http}/metrics").text


async def test_a_token_printed_beside_a_running_service_opens_a_socket(connect: Connect) -> None:
    client = await connect("alice", initialize=False)
    assert (await client.initialize(ROOT))["protocolVersion"] == "0.7.0"


def test_a_token_is_the_last_line_and_nothing_else_is_logged_of_it(service: RunningService) -> None:
    token = service.token("demo", "bob")
    httpx.get(f"{service.http}/nowhere", params={"tkn": token})
    assert not [line for line in service.lines if token in line]


def test_a_refused_socket_is_no_error_of_ours(service: RunningService) -> None:
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    key = {"Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="}
    assert httpx.get(f"{service.http}/ahp/demo", headers=upgrade | key).status_code == 401
    assert httpx.get(f"{service.http}/healthz").status_code == 200
    assert not [line for line in service.lines if "handshake" in line]


def test_a_taken_port_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = run_up("--port", port, folder=tmp_path)
    assert done.returncode != 0
    assert f"port {port} is taken" in done.stderr


def test_two_services_never_share_a_data_folder(service: RunningService) -> None:
    done = run_up("--port", "0", folder=Path(service.env["AHP_DATA_DIR"]))
    assert done.returncode != 0
    assert "already runs" in done.stderr


def test_ctrl_c_ends_everything_and_leaves_nobody(tmp_path: Path) -> None:
    started = RunningService("up", env=own_data(tmp_path, "ahp-ended") | {"DATABASE_URL": "", "REDIS_URL": ""})
    started.wait_ready()
    family = psutil.Process(started.process.pid).children(recursive=True)
    assert {"postgres", "valkey-server"} <= {process.name() for process in family}
    assert started.stop() == 0
    assert psutil.wait_procs(family, timeout=5)[1] == []
    assert not (tmp_path / "run.json").exists()


def test_kill_9_of_the_supervisor_leaves_nobody_and_the_next_start_finds_the_data(tmp_path: Path) -> None:
    env = own_data(tmp_path, "ahp-killed") | {"DATABASE_URL": "", "REDIS_URL": ""}
    first = RunningService("up", env=env)
    first.wait_ready()
    family = psutil.Process(first.process.pid).children(recursive=True)
    first.process.kill()
    assert psutil.wait_procs(family, timeout=30)[1] == []
    second = RunningService("up", env=env)
    second.wait_ready()
    assert second.wait_said("login +as before")
    second.stop()


def run_up(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "AHP_DATA_DIR": str(folder)}
    return subprocess.run(manage("up", *arguments), env=env, capture_output=True, text=True, timeout=30, check=False)
