"""Runs the turns of agents in a host process: `configure` at start, `host.run_turns` for as long as it lives."""

from ahp_platform.agents.runner.ports import configure as configure
