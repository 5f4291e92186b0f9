"""Which errors can a peer be told, and with which code?

Domain code raises these; the dispatcher turns them into JSON-RPC error responses. The message goes to the peer as
it is, so it must never hold a path, a query or a trace. Source: PROTOCOL.md section 15.
"""

from __future__ import annotations

from typing import ClassVar

RequestId = int | float | str


class ProtocolError(Exception):
    """An error with a code of the protocol. `data` is sent along unless it is None."""

    code: ClassVar[int] = -32603

    def __init__(self, message: str, data: object = None) -> None:
        super().__init__(message)
        self.message = message
        self.data = data
        self.request_id: RequestId | None = None


class ParseError(ProtocolError):
    """The frame is no JSON text."""

    code = -32700


class InvalidRequest(ProtocolError):
    """The frame is JSON but no JSON-RPC message, or the message may not come now."""

    code = -32600


class MethodNotFound(ProtocolError):
    """There is no such method here."""

    code = -32601


class InvalidParams(ProtocolError):
    """The parameters do not have the shape or the values that the method takes."""

    code = -32602


class InternalError(ProtocolError):
    """Something of ours broke."""

    code = -32603


class SessionNotFound(ProtocolError):
    """There is no such session, or the caller may not know of it."""

    code = -32001


class ProviderNotFound(ProtocolError):
    """There is no such agent provider."""

    code = -32002


class SessionAlreadyExists(ProtocolError):
    """The URI of a new session is taken."""

    code = -32003


class TurnInProgress(ProtocolError):
    """The chat has an active turn."""

    code = -32004


class UnsupportedProtocolVersion(ProtocolError):
    """None of the offered versions is spoken here. `data.supportedVersions` names ours."""

    code = -32005


class ContentNotFound(ProtocolError):
    """The referenced content does not exist."""

    code = -32006


class AuthRequired(ProtocolError):
    """A protected resource needs a token first. `data.resources` says which."""

    code = -32007


class NotFound(ProtocolError):
    """There is no such thing, or the caller may not know of it."""

    code = -32008


class PermissionDenied(ProtocolError):
    """The caller may not do this. `data.request` may name the access that would allow it."""

    code = -32009


class AlreadyExists(ProtocolError):
    """Something of another kind, or with that name, is already there."""

    code = -32010


class Conflict(ProtocolError):
    """The thing changed since the caller looked."""

    code = -32011
