"""Which servers do the tests talk to? The ones named in the environment, else real ones started for this run.

A pytest plugin, loaded before Django reads its settings. Workers inherit what the first process started.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

import pytest

from ahp_platform.embedded.servers import running_servers

_running = ExitStack()


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    """Complete the environment; a service that happens to run on this machine is left alone."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if not worker:
        folder = Path(tempfile.mkdtemp(prefix="ahp-tests-"))
        _running.callback(shutil.rmtree, folder, ignore_errors=True)
        os.environ |= _running.enter_context(running_servers(folder))
        os.environ["AHP_TESTS_DIR"] = str(folder)
    os.environ["AHP_DATA_DIR"] = str(Path(os.environ["AHP_TESTS_DIR"]) / (worker or "main"))
    # Workers share one Redis, whose publish and subscribe know no databases.
    os.environ["AHP_REDIS_PREFIX"] = f"ahp-test-{os.getpid()}"
    # Each service has an address of its own.
    os.environ.pop("AHP_PUBLIC_URL", None)
    os.environ |= {"AHP_SECRET_KEY": "only for tests", "AHP_HTTPS": "0", "AHP_LOG_LEVEL": "WARNING"}
    # MCP servers of tests listen here; `localhost` stays what nobody may reach.
    os.environ["AHP_MCP_PRIVATE_HOSTS"] = "127.0.0.1:*"


def pytest_unconfigure() -> None:
    """Stop what was started."""
    _running.close()
