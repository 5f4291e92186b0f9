"""How are the places of a session named to an agent, and to people?"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import unquote, urlsplit


def path_of(uri: str) -> str:
    """The path of a `file:` URI."""
    return unquote(urlsplit(uri).path)


def without_places(text: str, places: Iterable[str]) -> str:
    """A title with paths as they are within the working directories, where everybody in the session is.

    Some agents name paths from the root, without its slash.
    """
    for place in sorted(places, key=len, reverse=True):
        text = text.replace(f"{place}/", "").removeprefix(f"{place.lstrip('/')}/")
    return text
