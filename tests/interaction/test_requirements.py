"""Does every rule have its test, and does every test name rules that there are?"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.interaction.requirements import RULES

HERE = Path(__file__).parent


def covered() -> Iterator[tuple[str, str]]:
    """Test names and the rules that they are said to show."""
    for path in sorted(HERE.glob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                for mark in node.decorator_list:
                    if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "covers":
                        yield from ((f"{path.name}::{node.name}", ast.literal_eval(rule)) for rule in mark.args)


def test_every_rule_has_a_test() -> None:
    assert sorted(RULES.keys() - {rule for _, rule in covered()}) == []


def test_every_test_names_rules_that_there_are() -> None:
    assert [(name, rule) for name, rule in covered() if rule not in RULES] == []
