"""What does the `data` of an error hold?"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from ahp_platform.protocol.types.resources import ResourceRequestParams
from ahp_platform.protocol.types.values import ProtectedResourceMetadata

JsonRpcErrorCode = Literal[-32700, -32600, -32601, -32602, -32603]
AhpErrorCode = Literal[-32001, -32002, -32003, -32004, -32005, -32006, -32007, -32008, -32009, -32010]


class AuthRequiredErrorData(TypedDict):
    resources: list[ProtectedResourceMetadata]


class PermissionDeniedErrorData(TypedDict):
    request: NotRequired[ResourceRequestParams]


class UnsupportedProtocolVersionErrorData(TypedDict):
    supportedVersions: list[str]


AhpErrorDetailsMap = TypedDict(
    "AhpErrorDetailsMap",
    {
        "[AhpErrorCodes.AuthRequired]": AuthRequiredErrorData,
        "[AhpErrorCodes.PermissionDenied]": PermissionDeniedErrorData,
        "[AhpErrorCodes.UnsupportedProtocolVersion]": UnsupportedProtocolVersionErrorData,
    },
)
