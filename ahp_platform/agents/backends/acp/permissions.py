"""How do an agent's questions for permission look to people, and their answers to the agent?"""

from __future__ import annotations

from collections.abc import Sequence

from acp.schema import PermissionOption

from ahp_platform.agents.backend import Decision, Json

ONCE, ALWAYS = 0, 1

# The agent's own words are used in English, where they say more; in other languages these.
LABELS = {
    "de": ("Einmal erlauben", "Immer erlauben", "Ablehnen", "Immer ablehnen"),
    "fr": ("Autoriser une fois", "Toujours autoriser", "Refuser", "Toujours refuser"),
    "zh-tw": ("允許一次", "一律允許", "拒絕", "一律拒絕"),
}
KINDS = ("allow_once", "allow_always", "reject_once", "reject_always")


def confirmation_options(options: Sequence[PermissionOption], locale: str) -> list[Json]:
    """The `ConfirmationOption`s: what holds once in the first group, what the agent remembers in the second."""
    labels = _labels(locale)
    return [
        {
            "id": option.option_id,
            "label": labels.get(option.kind) or option.name,
            "kind": "approve" if option.kind.startswith("allow") else "deny",
            "group": ALWAYS if option.kind.endswith("always") else ONCE,
        }
        for option in options
    ]


def chosen(options: Sequence[PermissionOption], decision: Decision) -> str | None:
    """The agent's id of what was decided; None where it offers nothing of the kind."""
    if decision.option is not None:
        return str(decision.option["id"])
    wanted = ("allow_once", "allow_always") if decision.approved else ("reject_once", "reject_always")
    return next((option.option_id for kind in wanted for option in options if option.kind == kind), None)


def _labels(locale: str) -> dict[str, str]:
    tag = locale.lower().replace("_", "-")
    found = LABELS.get(tag) or LABELS.get(tag.split("-", 1)[0])
    return dict(zip(KINDS, found, strict=True)) if found else {}
