"""Which of the settings for files cannot be meant?"""

from __future__ import annotations

from typing import Any

from django.core.checks import Warning as Caution
from django.core.checks import register

from ahp_platform.workspaces.granted import refused_roots


@register
def grantable_roots(**_: Any) -> list[Caution]:
    """Say which of AHP_GRANTABLE_ROOTS are ignored."""
    hint = "Name absolute directories that neither hold AHP_DATA_DIR nor lie in it."
    return [
        Caution(f"{root} of AHP_GRANTABLE_ROOTS is ignored.", hint=hint, id="changesets_app.W001")
        for root in refused_roots()
    ]
