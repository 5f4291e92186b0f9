"""Where are customizations read from: a session's workspace, or a client that publishes them?"""

from __future__ import annotations

import asyncio
import base64
import binascii
import errno
from collections.abc import Sequence
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

from ahp_platform.protocol import uris
from ahp_platform.protocol.errors import NotFound, ProtocolError
from ahp_platform.rpc.peer import peers
from ahp_platform.workspaces import paths, reading
from ahp_platform.workspaces.fence import Fence

MAX_BYTES = 1024 * 1024
MAX_ENTRIES = 500


class Unreadable(Exception):
    """It is there, but cannot be read; the message is for people."""


class Source(Protocol):
    """A directory and what is below it."""

    def uri(self, *names: str) -> str:
        """The URI of what the names lead to."""

    async def entries(self, *names: str) -> list[tuple[str, bool]] | None:
        """Names and whether they are directories, in order; None where no directory is. Raises `Unreadable`."""

    async def text(self, *names: str) -> str | None:
        """The text of a file; None where there is none. Raises `Unreadable`."""


class Workspace:
    """A directory inside a tenant's own, read through the fence of a session."""

    def __init__(self, fence: Fence, place: Sequence[str], uri: str) -> None:
        self.fence, self.place, self._uri = fence, tuple(place), uri

    @classmethod
    def of(cls, slug: str, session: str, directory: str) -> Workspace:
        """A working directory (a `file:` URI) of a session; raises `LeadsOut` or `NotAFileUri`."""
        root = paths.root(slug)
        fence = Fence(root, paths.locks(), {paths.own_directory_name(session)})
        return cls(fence, paths.names_of(root, directory), directory)

    def below(self, *names: str) -> Workspace:
        """A directory in it."""
        return Workspace(self.fence, (*self.place, *names), self.uri(*names))

    @property
    def path(self) -> str:
        """Where it is on this host."""
        return str(self.fence.root.joinpath(*self.place))

    def uri(self, *names: str) -> str:
        """See `Source`."""
        return paths.joined(self._uri, names)

    async def entries(self, *names: str) -> list[tuple[str, bool]] | None:
        """See `Source`."""
        try:
            _, found = await asyncio.to_thread(reading.entries, self.fence, (*self.place, *names))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise Unreadable(error.strerror or "it may not be read") from None
        return [(paths.shown(name), kind == reading.DIRECTORY) for name, kind in found[:MAX_ENTRIES]]

    async def text(self, *names: str) -> str | None:
        """See `Source`."""
        try:
            read = await asyncio.to_thread(self._read, names)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            too_long = error.errno == errno.EFBIG
            raise Unreadable("it is too long" if too_long else error.strerror or "it may not be read") from None
        return read.decode(errors="replace")

    def _read(self, names: Sequence[str]) -> bytes:
        return b"".join(reading.chunks(self.fence, (*self.place, *names), MAX_BYTES))


class Published:
    """What a client serves below `virtual://<clientId>/…`, asked of that client and of nobody else."""

    def __init__(self, tenant_id: int, client_id: str, base: str) -> None:
        self._tenant_id, self._client_id, self._base = tenant_id, client_id, base.rstrip("/")
        parts = urlsplit(base)
        if parts.scheme != "virtual" or unquote(parts.netloc) != client_id:
            raise Unreadable("Only what a client serves itself (virtual://<its id>/…) can be loaded from it")

    def uri(self, *names: str) -> str:
        """See `Source`."""
        return paths.joined(self._base, names)

    async def entries(self, *names: str) -> list[tuple[str, bool]] | None:
        """See `Source`."""
        answer = await self._ask("resourceList", names)
        if answer is None:
            return None
        found = answer.get("entries")
        if not isinstance(found, list):
            raise Unreadable("the client's answer has not the form of one")
        named = [each for each in found[:MAX_ENTRIES] if isinstance(each, dict) and _is_name(each.get("name"))]
        return sorted((each["name"], each.get("type") == "directory") for each in named)

    async def text(self, *names: str) -> str | None:
        """See `Source`."""
        answer = await self._ask("resourceRead", names)
        if answer is None:
            return None
        data = answer.get("data")
        if not isinstance(data, str) or len(data) > 2 * MAX_BYTES:
            raise Unreadable("the client's answer has not the form of one")
        if answer.get("encoding") != "base64":
            return data
        try:
            return base64.b64decode(data, validate=True).decode(errors="replace")
        except binascii.Error:
            raise Unreadable("the client's answer is not base64") from None

    async def _ask(self, method: str, names: Sequence[str]) -> dict[str, Any] | None:
        params = {"channel": uris.ROOT, "uri": self.uri(*names)}
        try:
            answer = await peers.ask(self._tenant_id, self._client_id, method, params)
        except NotFound:
            return None
        except ProtocolError as error:
            raise Unreadable(f"the client refused: {error.message[:200]}") from None
        return answer if isinstance(answer, dict) else {}


def _is_name(name: object) -> bool:
    return isinstance(name, str) and name not in ("", ".", "..") and "/" not in name and "\x00" not in name
