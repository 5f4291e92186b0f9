"""How are the usual choices of a confirmation called in the user's language?"""

from __future__ import annotations

from ahp_platform.agents.backend import Json

ALLOW, DENY = "allow-once", "deny"

LABELS = {
    "en": ("Allow once", "Deny"),
    "de": ("Einmal erlauben", "Ablehnen"),
    "fr": ("Autoriser une fois", "Refuser"),
    "zh-tw": ("允許一次", "拒絕"),
}


def confirmation_options(locale: str) -> list[Json]:
    """Approve this once, or deny; in English where we do not speak the language."""
    tag = locale.lower().replace("_", "-")
    allow, deny = LABELS.get(tag) or LABELS.get(tag.split("-")[0]) or LABELS["en"]
    return [
        {"id": ALLOW, "label": allow, "kind": "approve"},
        {"id": DENY, "label": deny, "kind": "deny"},
    ]
