"""Which conventional places of a workspace hold customizations? The README has the same table for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Contents = Literal["agent", "skill", "prompt", "rule", "hook"]
# One directory a skill with a SKILL.md in it, one Markdown file each, or one JSON file each.
Layout = Literal["skills", "markdown", "json"]


@dataclass(frozen=True, slots=True)
class Place:
    """A directory of customizations of one kind."""

    path: tuple[str, ...]
    contents: Contents
    layout: Layout = "markdown"


PLACES: Final = (
    Place((".agents", "skills"), "skill", "skills"),
    Place((".claude", "skills"), "skill", "skills"),
    Place((".github", "skills"), "skill", "skills"),
    Place((".agents", "commands"), "skill"),
    Place((".claude", "commands"), "skill"),
    Place((".agents", "agents"), "agent"),
    Place((".claude", "agents"), "agent"),
    Place((".github", "agents"), "agent"),
    Place((".github", "prompts"), "prompt"),
    Place((".agents", "rules"), "rule"),
    Place((".claude", "rules"), "rule"),
    Place((".github", "instructions"), "rule"),
    Place((".agents", "hooks"), "hook", "json"),
    Place((".github", "hooks"), "hook", "json"),
)
# Files that are rules by themselves.
INSTRUCTIONS: Final = (("AGENTS.md",), ("CLAUDE.md",), (".github", "copilot-instructions.md"))
SERVERS: Final = ((".mcp.json",), (".vscode", "mcp.json"))
PLUGINS: Final = ((".agents", "plugins"), (".claude", "plugins"))

MANIFESTS: Final = (("plugin.json",), (".plugin", "plugin.json"), (".claude-plugin", "plugin.json"))
IN_PLUGINS: Final = (
    Place(("skills",), "skill", "skills"),
    Place(("commands",), "skill"),
    Place(("agents",), "agent"),
    Place(("rules",), "rule"),
    Place(("hooks",), "hook", "json"),
)
SERVERS_IN_PLUGINS: Final = ((".mcp.json",), ("mcp.json",))

# What is watched in a working directory: these names in it, and everything below those that are directories.
WATCHED: Final = frozenset({place.path[0] for place in PLACES} | {path[0] for path in (*INSTRUCTIONS, *SERVERS)})
