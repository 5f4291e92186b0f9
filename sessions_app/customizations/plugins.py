"""Which plugins do the clients of a session publish, and what is in them?

A client's plugin is read from that client alone, when it is published and again when its nonce is another; meanwhile it is shown as
loading. It goes with its client.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from sessions_app.customizations import scan
from sessions_app.customizations.children import minted
from sessions_app.customizations.scan import Found
from sessions_app.customizations.sources import Published, Unreadable

logger = logging.getLogger(__name__)

Json = dict[str, Any]
Key = tuple[str, str]

MAX_PER_CLIENT = 20
MAX_NAME = 200
LOAD_S = 60.0
SHOWN = ("type", "id", "uri", "name", "icons", "version", "_meta")


class Plugins:
    """The plugins of the clients of one session; `changed` is called when more is known of one."""

    def __init__(self, tenant_id: int, changed: Callable[[], None]) -> None:
        self._tenant_id, self._changed = tenant_id, changed
        self._said: dict[Key, Mapping[str, Any]] = {}
        self._found: dict[Key, Found] = {}
        self._loading: dict[Key, asyncio.Task[None]] = {}

    def publish(self, clients: Sequence[Mapping[str, Any]]) -> None:
        """These are the active clients now."""
        said: dict[Key, Mapping[str, Any]] = {}
        for client in clients:
            for each in client.get("customizations", ())[:MAX_PER_CLIENT]:
                if each.get("type") == "plugin":
                    said[client["clientId"], each["id"]] = each
        for key in self._said.keys() - said.keys():
            self._forget(key)
        for key, each in said.items():
            if not _same(self._said.get(key), each):
                self._forget(key)
                self._load(key, each)
        self._said = said

    def found(self, taken: Collection[str]) -> Found:
        """What is known of them; one whose id is taken by something else gets another."""
        found, used = Found(), set(taken)
        for key, each in self._found.items():
            container = each.customizations[0]
            if container["id"] in used:
                container = {**container, "id": minted("plugin", *key)}
            used.add(container["id"])
            found.add(Found([container], each.servers))
        return found

    def close(self) -> None:
        """Read no more."""
        for key in tuple(self._loading):
            self._forget(key)

    def _load(self, key: Key, said: Mapping[str, Any]) -> None:
        container = {name: said[name] for name in SHOWN if name in said}
        container |= {"clientId": key[0], "enabled": said["enabled"], "name": said["name"][:MAX_NAME]}
        self._found[key] = Found([{**container, "load": {"kind": "loading"}}])
        task = self._loading[key] = asyncio.create_task(self._read(key, container))
        task.add_done_callback(lambda done: self._loading.pop(key, None) if self._loading.get(key) is done else None)

    async def _read(self, key: Key, container: Json) -> None:
        try:
            source = Published(self._tenant_id, key[0], container["uri"])
            found = await asyncio.wait_for(scan.of_plugin(source, container, {}), LOAD_S)
        except Unreadable as error:
            found = _failed(container, str(error))
        except TimeoutError:
            found = _failed(container, "The client did not answer in time")
        except Exception:
            logger.exception("a client's plugin could not be read")
            found = _failed(container, "The plugin could not be read")
        self._found[key] = found
        self._changed()

    def _forget(self, key: Key) -> None:
        task = self._loading.pop(key, None)
        if task is not None:
            task.cancel()
        self._found.pop(key, None)


def _same(before: Mapping[str, Any] | None, now: Mapping[str, Any]) -> bool:
    if before is None or any(before.get(name) != now.get(name) for name in (*SHOWN, "nonce")):
        return False
    # Without a nonce nothing says that it is still the same.
    return "nonce" in now


def _failed(container: Json, message: str) -> Found:
    return Found([{**container, "load": {"kind": "error", "message": message}}])
