"""An MCP server with the official SDK, over streamable HTTP, that wants tokens as its test says."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from mcp.server.mcpserver import Context, MCPServer

from ahp_platform.supervise.ports import free_port

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class Vault:
    """The server; `tokens` maps tokens to the scopes that they have, None means that none are wanted."""

    def __init__(self, tokens: dict[str, set[str]] | None, resource: str = "") -> None:
        self.port = free_port("127.0.0.1")
        self.origin = f"http://127.0.0.1:{self.port}"
        self.url = f"{self.origin}/mcp"
        self.tokens, self.resource = tokens, resource or self.url
        # The tokens of the requests that came, in order.
        self.seen: list[str] = []
        server = MCPServer("vault", log_level="ERROR")
        server.add_tool(whoami)
        server.add_tool(secret)
        self._app = server.streamable_http_app()

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Judge the token, then serve."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif scope["path"].startswith("/.well-known/oauth-protected-resource"):
            login = ["https://login.example"]
            metadata = {"resource": self.resource, "authorization_servers": login, "scopes_supported": ["read"]}
            await answer(send, 200, json.dumps(metadata).encode())
        else:
            await self._judged(scope, receive, send)

    async def _judged(self, scope: Any, receive: Receive, send: Send) -> None:
        token = dict(scope["headers"]).get(b"authorization", b"").decode().removeprefix("Bearer ")
        self.seen.append(token)
        metadata = f'resource_metadata="{self.origin}/.well-known/oauth-protected-resource/mcp"'
        if self.tokens is not None and token not in self.tokens:
            error = 'error="invalid_token", ' if token else ""
            await answer(send, 401, b"", f"Bearer {error}{metadata}")
            return
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        if b'"secret"' in body and "admin" not in (self.tokens or {}).get(token, ()):
            challenge = (
                f'Bearer error="insufficient_scope", scope="read admin", error_description="Admins only", {metadata}'
            )
            await answer(send, 403, b"", challenge)
            return
        await self._app(scope, replayed(body, receive), send)


def replayed(body: bytes, receive: Receive) -> Receive:
    """What was read already, then what comes."""
    first: list[Message] = [{"type": "http.request", "body": body}]

    async def again() -> Message:
        return first.pop() if first else await receive()

    return again


async def answer(send: Send, status: int, body: bytes, challenge: str = "") -> None:
    headers = [(b"content-type", b"application/json")]
    if challenge:
        headers.append((b"www-authenticate", challenge.encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def whoami(context: Context) -> str:
    """Tell whose token came with the request."""
    headers = context.headers or {}
    return headers.get("authorization", "nobody").removeprefix("Bearer ")


async def secret() -> str:
    """Tell a secret."""
    return "the safe is open"


@asynccontextmanager
async def running(vault: Vault) -> AsyncIterator[Vault]:
    """The server, listening."""
    # Its own logging would outlive it: levels and handlers are the process's.
    config = uvicorn.Config(vault, host="127.0.0.1", port=vault.port, lifespan="on", log_config=None)
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    try:
        yield vault
    finally:
        server.should_exit = server.force_exit = True
        await serving
