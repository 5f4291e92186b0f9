"""Does the code keep the rules of the house that no linter knows?"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("ahp_platform", "sessions_app", "terminals_app", "changesets_app", "auth_app")
LONGEST_MODULE = 300
LONGEST_FUNCTION = 30


def modules(*folders: str) -> Iterator[Path]:
    for folder in folders:
        yield from (path for path in sorted((ROOT / folder).rglob("*.py")) if "migrations" not in path.parts)


def where(path: Path) -> str:
    return str(path.relative_to(ROOT))


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """From the `def` to the last line, without the docstring."""
    has_docstring = ast.get_docstring(function) is not None
    documented = (function.body[0].end_lineno or 0) - function.body[0].lineno + 1 if has_docstring else 0
    return (function.end_lineno or 0) - function.lineno + 1 - documented


def sleeps(path: Path) -> Iterator[int]:
    """Lines that wait for time; `sleep(0)` only lets others go first."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    waits = (call for call in calls if ast.unparse(call.func).rsplit(".", 1)[-1] == "sleep")
    yield from (wait.lineno for wait in waits if ast.unparse(wait.args[0]) != "0")


def test_a_module_begins_with_the_question_it_answers() -> None:
    written = {path: path.read_text() for path in modules(*PACKAGES, "tests") if path.read_text().strip()}
    assert [where(path) for path, text in written.items() if not ast.get_docstring(ast.parse(text))] == []


def test_a_module_stays_short() -> None:
    long = {where(path): len(path.read_text().splitlines()) for path in modules(*PACKAGES, "tests")}
    assert {name: lines for name, lines in long.items() if lines >= LONGEST_MODULE} == {}


def test_a_function_stays_short() -> None:
    found = ((where(path), function) for path in modules(*PACKAGES) for function in functions(path))
    assert {f"{name}:{one.name}": body_lines(one) for name, one in found if body_lines(one) > LONGEST_FUNCTION} == {}


def test_files_are_named_for_things() -> None:
    vague = {"utils.py", "helpers.py", "services.py", "managers.py", "common.py", "misc.py"}
    assert [where(path) for path in modules(*PACKAGES) if path.name in vague] == []


def test_no_test_waits_for_time() -> None:
    tests = [path for path in modules("tests") if path.name.startswith(("test_", "conftest"))]
    assert [f"{where(path)}:{line}" for path in tests for line in sleeps(path)] == []


@pytest.mark.parametrize("mark", ["TODO", "FIXME", "XXX", "HACK"])
def test_nothing_is_left_for_later_in_a_comment(mark: str) -> None:
    me = Path(__file__)
    assert [where(path) for path in modules(*PACKAGES, "tests") if path != me and mark in path.read_text()] == []


def test_every_package_says_what_it_owns() -> None:
    inner = [path.parent for path in sorted((ROOT / "ahp_platform").glob("*/__init__.py"))]
    packages = [ROOT / name for name in PACKAGES if name != "ahp_platform"] + inner
    commands = ROOT / "ahp_platform" / "management"
    assert [where(one) for one in packages if one != commands and not (one / "README.md").exists()] == []


def test_imports_keep_to_their_contracts() -> None:
    lint = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
