"""Do the page's modules do what they say by themselves: reducers, Markdown, differences, names?

The tests themselves are in JavaScript, for node's own test runner.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FIXTURES = HERE.parents[2] / "shared" / "ahp" / "fixtures" / "reducers"
LIMIT_S = 60
SCRIPTS = HERE.parents[1] / "ahp_platform" / "page" / "static" / "workbench"
LONGEST_SCRIPT = 300
NODE = shutil.which("node")

if NODE is None:
    pytest.skip("NODE IS NOT INSTALLED, the page's modules were not run by themselves", allow_module_level=True)


def run(name: str) -> subprocess.CompletedProcess[str]:
    command = [str(NODE), "--test", "--test-reporter=tap", name]
    env = {**os.environ, "AHP_FIXTURES": str(FIXTURES)}
    return subprocess.run(command, cwd=HERE, env=env, capture_output=True, text=True, timeout=LIMIT_S)


def test_reducers_pass_the_shared_cases() -> None:
    if not FIXTURES.is_dir():
        pytest.skip(f"THE PROTOCOL'S OWN CASES ARE NOT THERE, nothing of them was run: {FIXTURES}")
    done = run("reducers.test.mjs")
    assert done.returncode == 0, done.stdout


def test_markdown_grows_block_by_block() -> None:
    done = run("markdown.test.mjs")
    assert done.returncode == 0, done.stdout


def test_a_difference_leads_from_one_text_to_the_other() -> None:
    done = run("difference.test.mjs")
    assert done.returncode == 0, done.stdout


def test_a_script_of_the_page_stays_short_and_begins_with_its_question() -> None:
    ours = {path: path.read_text() for path in SCRIPTS.rglob("*.js") if "vendor" not in path.parts}
    assert len(ours) > 50
    assert {
        path.name: len(text.splitlines()) for path, text in ours.items() if text.count("\n") >= LONGEST_SCRIPT
    } == {}
    assert [path.name for path, text in ours.items() if not text.startswith("// ")] == []


def test_no_script_of_ours_makes_markup_of_text() -> None:
    ways = ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "srcdoc")
    ours = [path for path in SCRIPTS.rglob("*.js") if "vendor" not in path.parts]
    assert [(path.name, way) for path in ours for way in ways if way in path.read_text()] == []
