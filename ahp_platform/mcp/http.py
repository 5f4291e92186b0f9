"""How do we reach an MCP server by its address, without reaching what is none of the tenant's business?

The address comes out of a tenant's files. So names are resolved here, and nothing is connected to but public addresses and the hosts
that the operator allows (`AHP_MCP_PRIVATE_HOSTS`); what is connected to is the address that was judged. Redirects stay within the
origin. Tokens travel over TLS, or to those hosts.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from typing import NamedTuple

import httpx2
from mcp.client._transport import TransportStreams
from mcp.client.streamable_http import streamable_http_client

from ahp_platform.mcp.challenges import Challenge, challenge_of
from ahp_platform.mcp.failures import McpFailed

CONNECT_S, READ_S = 10.0, 300.0
MAX_BODY_BYTES = 8 * 1024 * 1024


class Reach(NamedTuple):
    """What may be connected to: these `host:port` (or `host:*`) wherever they are, and public addresses unless `public` is off."""

    allowed: Collection[str]
    public: bool = True


class Address:
    """One server's address as one user reaches it."""

    def __init__(self, url: str, headers: Mapping[str, str], token: str | None, reach: Reach) -> None:
        self.url, self._reach = url, reach
        # The last request that was refused for want of a token, until somebody takes it.
        self._challenge: Challenge | None = None
        self.has_token = token is not None
        sent = {**headers, **({"Authorization": f"Bearer {token}"} if token is not None else {})}
        if token is not None and not url.startswith("https://") and not _is_allowed(httpx2.URL(url), reach):
            raise McpFailed("A token is only sent over https")
        self._client = httpx2.AsyncClient(
            headers=sent,
            timeout=httpx2.Timeout(CONNECT_S, read=READ_S),
            transport=_GuardedTransport(reach),
            event_hooks={"response": [self._look]},
            trust_env=False,
        )
        self.ended = asyncio.Event()

    @asynccontextmanager
    async def streams(self) -> AsyncIterator[TransportStreams]:
        """What a session reads and writes."""
        async with self._client, streamable_http_client(self.url, http_client=self._client) as streams:
            yield streams

    @property
    def last_words(self) -> str:
        """Nothing besides its answers."""
        return ""

    def take_challenge(self) -> Challenge | None:
        """Why the last requests were refused, if it was for want of a token."""
        taken, self._challenge = self._challenge, None
        return taken

    async def fetch_json(self, url: str) -> object:
        """A document that is for everybody; raises `McpFailed`. The token is not sent."""
        transport = _GuardedTransport(self._reach)
        async with httpx2.AsyncClient(transport=transport, timeout=CONNECT_S, trust_env=False) as client:
            try:
                answer = await client.get(url, headers={"Accept": "application/json"})
                return answer.json() if answer.status_code == 200 else None
            except (httpx2.HTTPError, ValueError) as error:
                raise McpFailed(f"{url[:200]} cannot be read: {type(error).__name__}") from None

    async def _look(self, response: httpx2.Response) -> None:
        found = challenge_of(response.status_code, response.headers.get("WWW-Authenticate", ""), self.has_token)
        self._challenge = found or self._challenge


class _GuardedTransport(httpx2.AsyncHTTPTransport):
    """Connects to what may be connected to."""

    def __init__(self, reach: Reach) -> None:
        super().__init__(trust_env=False)
        self._reach = reach

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """As the transport; raises `ConnectError` where the address is none of ours to reach."""
        host = request.url.host
        address = await _resolved(request.url, self._reach)
        # The name stays in the Host header and in TLS; only what is connected to is pinned.
        request.url = request.url.copy_with(host=address)
        request.extensions = {**request.extensions, "sni_hostname": host}
        response = await super().handle_async_request(request)
        if response.headers.get("content-type", "").startswith("application/json"):
            assert isinstance(response.stream, httpx2.AsyncByteStream)
            response.stream = _Bounded(response.stream)
        return response


class _Bounded(httpx2.AsyncByteStream):
    """A body that ends with an error before it fills our memory."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = 0
        async for chunk in self._stream:
            read += len(chunk)
            if read > MAX_BODY_BYTES:
                raise httpx2.ReadError("the answer is too long")
            yield chunk

    async def aclose(self) -> None:
        """Let go of the connection."""
        await self._stream.aclose()


async def _resolved(url: httpx2.URL, reach: Reach) -> str:
    free = _is_allowed(url, reach)
    if not free and not reach.public:
        raise httpx2.ConnectError("the settings of this organisation let no programs into the network")
    port = url.port or (443 if url.scheme == "https" else 80)
    try:
        found = await asyncio.get_running_loop().getaddrinfo(url.host, port, type=socket.SOCK_STREAM)
    except OSError:
        raise httpx2.ConnectError(f"{url.host} is not known") from None
    addresses = [str(entry[4][0]) for entry in found]
    if not free and not all(_is_public(address) for address in addresses):
        raise httpx2.ConnectError(f"{url.host} is not a public address")
    return addresses[0]


def _is_allowed(url: httpx2.URL, reach: Reach) -> bool:
    port = url.port or (443 if url.scheme == "https" else 80)
    return f"{url.host}:{port}" in reach.allowed or f"{url.host}:*" in reach.allowed


def _is_public(address: str) -> bool:
    plain = ipaddress.ip_address(address.partition("%")[0])
    mapped = getattr(plain, "ipv4_mapped", None) or plain
    return mapped.is_global and not mapped.is_multicast
