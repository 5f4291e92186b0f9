"""Which benchmarks are there? The rows of DESIGN.md section 8, in its order."""

from __future__ import annotations

from tests.benchmarks.rows import (
    agent_chunks,
    append,
    big_chat,
    big_read,
    cat,
    delta_cost,
    echo,
    fanout,
    frozen_reader,
    keystroke,
    memory,
    reconnect_storm,
    two_webs,
)

BENCHMARKS = (
    fanout.BENCHMARK,
    append.BENCHMARK,
    echo.BENCHMARK,
    delta_cost.BENCHMARK,
    big_chat.BENCHMARK,
    reconnect_storm.BENCHMARK,
    reconnect_storm.RESTARTED,
    memory.BENCHMARK,
    frozen_reader.BENCHMARK,
    two_webs.BENCHMARK,
    keystroke.BENCHMARK,
    cat.BENCHMARK,
    big_read.BENCHMARK,
    agent_chunks.ONE,
    agent_chunks.FIFTY,
)
