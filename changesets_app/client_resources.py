"""How is a resource read that a client serves (`virtual://<clientId>/…`)?

By asking that client the same in reverse, whichever process holds its socket; clients of other tenants are not there.
Source: PROTOCOL.md section 12.
"""

from __future__ import annotations

from functools import cache
from typing import Any
from urllib.parse import unquote, urlsplit

from ahp_platform.protocol.errors import InternalError, InvalidParams, PermissionDenied
from ahp_platform.protocol.methods import SERVER_COMMANDS
from ahp_platform.protocol.shape import Shape
from ahp_platform.protocol.uris import ROOT
from ahp_platform.rpc.context import Context
from ahp_platform.rpc.peer import peers
from ahp_platform.rpc.table import Params

# What is changed at a client is for that client's own user to decide, whom we cannot ask.
READING = frozenset({"resourceRead", "resourceList", "resourceResolve"})


async def ask(context: Context, method: str, params: Params) -> Any:
    """The client's own result; raises its refusal, or `NotFound` where there is no such client."""
    if method not in READING:
        raise PermissionDenied("What a client serves can only be read")
    client_id = unquote(urlsplit(params["uri"]).netloc)
    if not client_id:
        raise InvalidParams("params.uri: expected virtual://<clientId>/…")
    result = await peers.ask(context.log.tenant_id, client_id, method, {**params, "channel": ROOT})
    try:
        _result_shape(method).check(result, "result")
    except InvalidParams:
        raise InternalError("The client's answer has not the form of one") from None
    return result


@cache
def _result_shape(method: str) -> Shape:
    return Shape(SERVER_COMMANDS[method].result)
