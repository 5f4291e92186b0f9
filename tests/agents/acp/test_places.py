"""Are paths shown as the people of a session know them?"""

from __future__ import annotations

import pytest

from ahp_platform.agents.backends.acp.places import without_places

PLACES = ["/data/ws", "/data/ws/sub dir"]


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("/data/ws/notes.txt", "notes.txt"),
        ("Edit /data/ws/sub dir/a.py and /data/ws/b.py", "Edit a.py and b.py"),
        ("data/ws/notes.txt", "notes.txt"),
        ("/elsewhere/data/notes.txt", "/elsewhere/data/notes.txt"),
        ("/data/wsx/notes.txt", "/data/wsx/notes.txt"),
        ("/data/ws", "/data/ws"),
        ("", ""),
    ],
)
def test_a_title_names_paths_within_the_working_directories(title: str, shown: str) -> None:
    assert without_places(title, PLACES) == shown
