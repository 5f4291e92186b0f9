"""What do tests of customizations need? A working directory in the running service."""

from __future__ import annotations

import pytest

from tests.customizations.workspaces import Project
from tests.service import RunningService


@pytest.fixture
def project(service: RunningService) -> Project:
    """A directory of the demo tenant, with nothing in it."""
    return Project(service)
