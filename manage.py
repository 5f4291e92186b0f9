"""Which command was asked for? The entry point of every Django command of this project."""

from __future__ import annotations

import os
import sys

SERVING = (["serve"], ["run_host"], ["runserver"])


def main() -> None:
    """Run one command, on what this machine runs where the environment names nothing."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ahp_platform.settings")
    from ahp_platform import local

    local.adopt()
    serves = sys.argv[1:2] in SERVING
    if serves:
        os.environ.setdefault("AHP_DATABASE_ROLE", "app")
    from django.core.management import execute_from_command_line

    from ahp_platform.tenancy import across_tenants, no_tenant

    # What an operator asks for is about the whole installation; what serves says for each statement whom it is for.
    with no_tenant() if serves else across_tenants():
        execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
