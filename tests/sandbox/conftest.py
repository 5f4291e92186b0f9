"""What do tests of the sandbox stand on? A tenant's directory with what its programs must not see beside what they may."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ahp_platform.workspaces import paths

MINE, THEIRS = "ahp-session:/mine", "ahp-session:/theirs"
SLUG = "acme"


@pytest.fixture
def root(settings: Any, tmp_path: Path) -> Path:
    """The tenant's directory, with own directories of two sessions, beside another tenant's and the service's secrets."""
    settings.AHP_DATA_DIR, settings.AHP_SANDBOX = tmp_path, "bubblewrap"
    (tmp_path / "secret-key").write_text("secret")
    root = paths.root(SLUG)
    for session in (MINE, THEIRS):
        for folder in paths.OWN_DIRECTORIES:
            own = root / folder / paths.own_directory_name(session)
            own.mkdir(parents=True)
            (own / "note").write_text(session)
    paths.root("other").mkdir()
    (paths.root("other") / "note").write_text("other")
    (root / "note").write_text("everybody's")
    return root
