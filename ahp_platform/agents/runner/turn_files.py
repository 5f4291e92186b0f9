"""How does a turn get at its files, and how are its edits shown?"""

from __future__ import annotations

import asyncio
import mimetypes
from difflib import SequenceMatcher

from ahp_platform.agents.backend import Json
from ahp_platform.agents.claims import Claim
from ahp_platform.agents.runner.ports import ports
from ahp_platform.agents.runner.waits import Waits
from ahp_platform.agents.workspace_files import WorkspaceFiles

# Above this size the edit does not say how much was added and removed: comparing would take longer than writing.
MAX_COMPARED = 256 * 1024


class TurnFiles:
    """The `Files` of one turn."""

    def __init__(self, claim: Claim, files: WorkspaceFiles, waits: Waits) -> None:
        self._claim, self._files, self._waits = claim, files, waits

    async def read(self, path: str) -> str:
        """See `Files`."""
        self._waits.check_open()
        return await asyncio.to_thread(self._files.read, path)

    async def write(self, path: str, text: str) -> None:
        """See `Files`."""
        self._waits.check_open()
        await asyncio.to_thread(self._files.write, path, text)

    async def edit(self, path: str, before: str | None, after: str | None) -> Json:
        """See `Files`."""
        uri = self._uri(path)
        content_type = mimetypes.guess_type(path)[0] or "text/plain"
        edit: Json = {}
        for name, text in (("before", before), ("after", after)):
            if text is not None:
                edit[name] = {"uri": uri, "content": await self.keep(text.encode(errors="replace"), content_type)}
        if len(before or "") + len(after or "") <= MAX_COMPARED:
            edit["diff"] = await asyncio.to_thread(_counted, before or "", after or "")
        return edit

    async def keep(self, data: bytes, content_type: str) -> Json:
        """See `Files`."""
        return await ports().contents(self._claim.tenant_id, self._claim.session, data, content_type)

    def _uri(self, path: str) -> str:
        try:
            return self._files.uri(path)
        except OSError:
            # What an agent says that it changed elsewhere is shown, but nobody is led there.
            return f"file:///{path.rsplit('/', 1)[-1]}"


def _counted(before: str, after: str) -> Json:
    old, new = before.splitlines(), after.splitlines()
    kept = sum(block.size for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks())
    return {"added": len(new) - kept, "removed": len(old) - kept}
