"""Which commands read, write and watch resources?"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from ahp_platform.protocol.types.values import URI


class ResourceWatchState(TypedDict):
    root: URI
    recursive: bool
    excludes: NotRequired[Globs]
    includes: NotRequired[Globs]


class ResourceChange(TypedDict):
    uri: URI
    type: ResourceChangeType


class ResourceReadParams(TypedDict):
    channel: Literal["ahp-root://"]
    uri: str
    encoding: NotRequired[ContentEncoding]


class ResourceReadResult(TypedDict):
    data: str
    encoding: ContentEncoding
    contentType: NotRequired[str]


class ResourceWriteParams(TypedDict):
    channel: Literal["ahp-root://"]
    uri: URI
    data: str
    encoding: ContentEncoding
    contentType: NotRequired[str]
    createOnly: NotRequired[bool]
    mode: NotRequired[ResourceWriteMode]
    position: NotRequired[int]
    ifMatch: NotRequired[str]


class ResourceWriteResult(TypedDict):
    pass


class ResourceListParams(TypedDict):
    channel: Literal["ahp-root://"]
    uri: URI


class DirectoryEntry(TypedDict):
    name: str
    type: Literal["file", "directory"]


class ResourceListResult(TypedDict):
    entries: list[DirectoryEntry]


class ResourceCopyParams(TypedDict):
    channel: Literal["ahp-root://"]
    source: URI
    destination: URI
    failIfExists: NotRequired[bool]


class ResourceCopyResult(TypedDict):
    pass


class ResourceDeleteParams(TypedDict):
    channel: Literal["ahp-root://"]
    uri: URI
    recursive: NotRequired[bool]


class ResourceDeleteResult(TypedDict):
    pass


class ResourceRequestParams(TypedDict):
    channel: Literal["ahp-root://"]
    uri: URI
    read: NotRequired[bool]
    write: NotRequired[bool]


class ResourceRequestResult(TypedDict):
    pass


class ResourceMoveParams(TypedDict):
    channel: Literal["ahp-root://"]
    source: URI
    destination: URI
    failIfExists: NotRequired[bool]


class ResourceMoveResult(TypedDict):
    pass


class ResourceResolveParams(TypedDict):
    channel: Literal["ahp-root://"]
    uri: URI
    followSymlinks: NotRequired[bool]


class ResourceResolveResult(TypedDict):
    uri: URI
    type: ResourceType
    size: NotRequired[float]
    mtime: NotRequired[str]
    ctime: NotRequired[str]
    contentType: NotRequired[str]
    etag: NotRequired[str]


class ResourceMkdirParams(TypedDict):
    channel: Literal["ahp-root://"]
    uri: URI


class ResourceMkdirResult(TypedDict):
    pass


class CreateResourceWatchParams(TypedDict):
    channel: Literal["ahp-root://"]
    uri: URI
    recursive: NotRequired[bool]
    excludes: NotRequired[Globs]
    includes: NotRequired[Globs]


class CreateResourceWatchResult(TypedDict):
    channel: URI


ResourceChangeType = Literal["added", "updated", "deleted"]
ContentEncoding = Literal["base64", "utf-8"]
ResourceWriteMode = Literal["truncate", "append", "insert"]
ResourceType = Literal["file", "directory", "symlink"]


class Globs(TypedDict):
    items: list[str]


class ResourceChanges(TypedDict):
    items: list[ResourceChange]
