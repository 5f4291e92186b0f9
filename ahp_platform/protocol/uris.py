"""What can be read off a URI?

Almost nothing: a URI is an opaque key in the client's own spelling, and what it addresses is known from what was
created under it. Only the root and the suffix of a session's annotations mean something by themselves. Source:
PROTOCOL.md section 16.
"""

from __future__ import annotations

from typing import Final

ROOT: Final = "ahp-root://"
_ANNOTATIONS: Final = "/annotations"


def annotations_of(session: str) -> str:
    """The URI of the annotations channel of a session."""
    return session + _ANNOTATIONS


def session_of_annotations(uri: str) -> str | None:
    """The session whose annotations channel this could be, or None where the URI has not that form."""
    session = uri.removesuffix(_ANNOTATIONS)
    return session if session and session != uri else None
