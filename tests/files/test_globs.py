"""Which paths does a glob of a watch mean?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ahp_platform.protocol.errors import InvalidParams
from changesets_app.watches.globs import Globs


@pytest.mark.parametrize(
    ("glob", "path", "matches"),
    [
        ("**/node_modules/**", "node_modules/x", True),
        ("**/node_modules/**", "a/b/node_modules", True),
        ("**/node_modules/**", "a/node_module", False),
        ("node_modules", "node_modules/deep/down", True),
        ("node_modules", "a/node_modules", False),
        ("*.py", "a.py", True),
        ("*.py", "d/a.py", False),
        ("**/*.py", "a.py", True),
        ("**/*.py", "d/e/a.py", True),
        ("src/**/test_?.{py,js}", "src/test_1.js", True),
        ("src/**/test_?.{py,js}", "src/a/b/test_1.py", True),
        ("src/**/test_?.{py,js}", "src/a/test_12.py", False),
        ("[ab]*", "bee", True),
        ("[!ab]*", "bee", False),
        ("a.b", "axb", False),
        ("./src/", "src/x", True),
        ("", "x", False),
    ],
)
def test_a_path_matches_with_what_is_below(glob: str, path: str, matches: bool) -> None:
    assert Globs([glob]).match(path.split("/")) is matches


@given(st.text("ab*?[]{}/,!\\", max_size=40), st.lists(st.text("ab", min_size=1), max_size=6))
def test_no_glob_breaks_the_matching(glob: str, names: list[str]) -> None:
    try:
        globs = Globs([glob])
    except InvalidParams:
        return
    assert globs.match(names) in (True, False)


def test_a_spiteful_glob_takes_no_time() -> None:
    names = ["a" * 200] * 100
    assert not Globs(["**/*a*a*a*a*a*a*a*a*a*a*b/" * 10]).match(names)


@pytest.mark.parametrize("globs", [["x" * 400], ["x"] * 300, ["{a,b}" * 10]])
def test_too_much_is_refused(globs: list[str]) -> None:
    with pytest.raises(InvalidParams):
        Globs(globs)
