"""The cases of the root, terminals, changesets, annotations and resource watches."""

from __future__ import annotations

from typing import Any

from tests.protocol.cases.case import GONE, Case, Refusal

STRING = {"type": "string", "title": "T"}
ROOT_CONFIG = {
    "schema": {
        "type": "object",
        "properties": {
            "mode": {**STRING, "enum": ["a", "b"]},
            "fixed": {**STRING, "readOnly": True},
            "limit": {"type": "number", "title": "L"},
            "tags": {"type": "array", "title": "Tags", "items": STRING},
            "more": {
                "type": "object",
                "title": "M",
                "properties": {"a": STRING},
                "required": ["a"],
                "additionalProperties": {"type": "boolean", "title": "B"},
            },
        },
    },
    "values": {"mode": "a", "fixed": "x", "limit": 1},
}
ROOT: dict[str, Any] = {"agents": [], "config": ROOT_CONFIG}


def set_root(replace: bool = False, /, **config: object) -> dict[str, Any]:
    return {"type": "root/configChanged", "config": config, **({"replace": True} if replace else {})}


AGENT = {"provider": "demo", "displayName": "Demo", "description": "", "models": []}
MINE = {"kind": "client", "clientId": "my-client"}
THEIRS = {"kind": "client", "clientId": "other"}
COMMAND = {"type": "command", "commandId": "c", "commandLine": "ls", "output": "", "timestamp": 1, "isComplete": False}
TERMINAL: dict[str, Any] = {"title": "sh", "content": [], "claim": MINE, "cols": 80, "rows": 24}
BUSY: dict[str, Any] = {**TERMINAL, "content": [COMMAND]}
FILE: dict[str, Any] = {"id": "f", "edit": {}}
OPERATION = {"id": "o", "label": "O", "scopes": ["changeset"], "status": "idle"}
CHANGESET: dict[str, Any] = {"status": "ready", "files": [FILE], "operations": [OPERATION]}
ERROR = {"errorType": "git", "message": "no"}
ENTRY: dict[str, Any] = {"id": "e", "text": "hm"}
REMARK: dict[str, Any] = {"id": "a", "turnId": "t", "resource": "file:///a", "resolved": False, "entries": [ENTRY]}
TWO: dict[str, Any] = {**REMARK, "entries": [ENTRY, {"id": "f", "text": "yes"}]}
REMARKS: dict[str, Any] = {"annotations": [REMARK]}
WATCH = {"root": "file:///w", "recursive": True}

CASES: dict[str, Case] = {
    "root/agentsChanged": Case(
        ROOT,
        {"type": "root/agentsChanged", "agents": [AGENT]},
        {"agents": [AGENT]},
        {"type": "root/agentsChanged", "agents": []},
    ),
    "root/activeSessionsChanged": Case(
        {**ROOT, "activeSessions": 1},
        {"type": "root/activeSessionsChanged", "activeSessions": 2},
        {"activeSessions": 2},
        {"type": "root/activeSessionsChanged", "activeSessions": 1},
    ),
    "root/terminalsChanged": Case(
        {**ROOT, "terminals": []},
        {"type": "root/terminalsChanged", "terminals": [{"resource": "t:/1", "title": "sh", "claim": MINE}]},
        {"terminals": [{"resource": "t:/1", "title": "sh", "claim": MINE}]},
        {"type": "root/terminalsChanged", "terminals": []},
    ),
    "root/configChanged": Case(
        ROOT,
        set_root(mode="b"),
        {"config": {**ROOT_CONFIG, "values": {"mode": "b", "fixed": "x", "limit": 1}}},
        set_root(mode="a", limit=1),
    ),
    "terminal/data": Case(
        BUSY,
        {"type": "terminal/data", "data": "out"},
        {"content": [{**COMMAND, "output": "out"}]},
        {"type": "terminal/data", "data": ""},
    ),
    "terminal/input": Case(
        TERMINAL, {"type": "terminal/input", "data": "ls\r"}, {}, {"type": "terminal/input", "data": ""}
    ),
    "terminal/resized": Case(
        TERMINAL,
        {"type": "terminal/resized", "cols": 100, "rows": 30},
        {"cols": 100, "rows": 30},
        {"type": "terminal/resized", "cols": 80, "rows": 24},
    ),
    "terminal/claimed": Case(
        TERMINAL,
        {"type": "terminal/claimed", "claim": THEIRS},
        {"claim": THEIRS},
        {"type": "terminal/claimed", "claim": MINE},
    ),
    "terminal/titleChanged": Case(
        TERMINAL,
        {"type": "terminal/titleChanged", "title": "vim"},
        {"title": "vim"},
        {"type": "terminal/titleChanged", "title": "sh"},
    ),
    "terminal/cwdChanged": Case(
        {**TERMINAL, "cwd": "file:///a"},
        {"type": "terminal/cwdChanged", "cwd": "file:///b"},
        {"cwd": "file:///b"},
        {"type": "terminal/cwdChanged", "cwd": "file:///a"},
    ),
    "terminal/exited": Case(
        TERMINAL, {"type": "terminal/exited", "exitCode": 0}, {"exitCode": 0}, {"type": "terminal/exited"}
    ),
    "terminal/cleared": Case(
        BUSY, {"type": "terminal/cleared"}, {"content": []}, {"type": "terminal/cleared"}, TERMINAL
    ),
    "terminal/commandDetectionAvailable": Case(
        TERMINAL,
        {"type": "terminal/commandDetectionAvailable"},
        {"supportsCommandDetection": True},
        {"type": "terminal/commandDetectionAvailable"},
        {**TERMINAL, "supportsCommandDetection": True},
    ),
    "terminal/commandExecuted": Case(
        TERMINAL,
        {"type": "terminal/commandExecuted", "commandId": "c", "commandLine": "ls", "timestamp": 1},
        {"content": [COMMAND], "supportsCommandDetection": True},
        {"type": "terminal/unknown"},
    ),
    "terminal/commandFinished": Case(
        BUSY,
        {"type": "terminal/commandFinished", "commandId": "c", "exitCode": 1},
        {"content": [{**COMMAND, "isComplete": True, "exitCode": 1}]},
        {"type": "terminal/commandFinished", "commandId": "d"},
    ),
    "changeset/statusChanged": Case(
        CHANGESET,
        {"type": "changeset/statusChanged", "status": "error", "error": ERROR},
        {"status": "error", "error": ERROR},
        {"type": "changeset/statusChanged", "status": "ready"},
    ),
    "changeset/fileSet": Case(
        CHANGESET,
        {"type": "changeset/fileSet", "file": {"id": "g", "edit": {}}},
        {"files": [FILE, {"id": "g", "edit": {}}]},
        {"type": "changeset/fileSet", "file": FILE},
    ),
    "changeset/fileRemoved": Case(
        CHANGESET,
        {"type": "changeset/fileRemoved", "fileId": "f"},
        {"files": []},
        {"type": "changeset/fileRemoved", "fileId": "g"},
    ),
    "changeset/filesReviewChanged": Case(
        CHANGESET,
        {"type": "changeset/filesReviewChanged", "files": ["f", "g"], "reviewed": True},
        {"files": [{**FILE, "reviewed": True}]},
        {"type": "changeset/filesReviewChanged", "files": ["g"], "reviewed": True},
    ),
    "changeset/contentChanged": Case(
        CHANGESET,
        {"type": "changeset/contentChanged", "files": [], "operations": [], "error": ERROR},
        {"files": [], "operations": [], "error": ERROR},
        {"type": "changeset/contentChanged", "files": [FILE]},
    ),
    "changeset/operationsChanged": Case(
        CHANGESET,
        {"type": "changeset/operationsChanged"},
        {"operations": GONE},
        {"type": "changeset/operationsChanged", "operations": [OPERATION]},
    ),
    "changeset/operationStatusChanged": Case(
        CHANGESET,
        {"type": "changeset/operationStatusChanged", "operationId": "o", "status": "running"},
        {"operations": [{**OPERATION, "status": "running"}]},
        {"type": "changeset/operationStatusChanged", "operationId": "p", "status": "running"},
    ),
    "changeset/cleared": Case(
        CHANGESET,
        {"type": "changeset/cleared"},
        {"files": []},
        {"type": "changeset/cleared"},
        {"status": "ready", "files": []},
    ),
    "annotations/set": Case(
        REMARKS,
        {"type": "annotations/set", "annotation": {**REMARK, "id": "b"}},
        {"annotations": [REMARK, {**REMARK, "id": "b"}]},
        {"type": "annotations/set", "annotation": REMARK},
    ),
    "annotations/updated": Case(
        REMARKS,
        {"type": "annotations/updated", "annotationId": "a", "resolved": True},
        {"annotations": [{**REMARK, "resolved": True}]},
        {"type": "annotations/updated", "annotationId": "b", "resolved": True},
    ),
    "annotations/removed": Case(
        REMARKS,
        {"type": "annotations/removed", "annotationId": "a"},
        {"annotations": []},
        {"type": "annotations/removed", "annotationId": "b"},
    ),
    "annotations/entrySet": Case(
        REMARKS,
        {"type": "annotations/entrySet", "annotationId": "a", "entry": {"id": "f", "text": "yes"}},
        {"annotations": [TWO]},
        {"type": "annotations/entrySet", "annotationId": "b", "entry": ENTRY},
    ),
    "annotations/entryRemoved": Case(
        {"annotations": [TWO]},
        {"type": "annotations/entryRemoved", "annotationId": "a", "entryId": "f"},
        {"annotations": [REMARK]},
        {"type": "annotations/entryRemoved", "annotationId": "a", "entryId": "e"},
        REMARKS,
    ),
    "resourceWatch/changed": Case(
        WATCH,
        {"type": "resourceWatch/changed", "changes": {"items": [{"uri": "file:///w/a", "type": "added"}]}},
        {},
        {"type": "resourceWatch/unknown"},
    ),
}

REFUSALS: list[Refusal] = [
    Refusal({"agents": []}, set_root(mode="b"), "There is no configuration here"),
    Refusal(ROOT, set_root(fixed="y"), "fixed cannot be changed"),
    Refusal(ROOT, set_root(True, mode="b"), "fixed cannot be changed"),
    Refusal(ROOT, set_root(other=1), "There is no property other"),
    Refusal(ROOT, set_root(mode="c"), "mode is none of the values it may have"),
    Refusal(ROOT, set_root(mode=True), "mode must be of type string"),
    Refusal(ROOT, set_root(limit=True), "limit must be of type number"),
    Refusal(ROOT, set_root(tags=["a", 1]), "tags[1] must be of type string"),
    Refusal(ROOT, set_root(more={}), "more.a is missing"),
    Refusal(ROOT, set_root(more={"a": "x", "b": 1}), "more.b must be of type boolean"),
    Refusal({**TERMINAL, "exitCode": 0}, {"type": "terminal/input", "data": "x"}, "The terminal has exited"),
    Refusal(
        {**TERMINAL, "claim": THEIRS}, {"type": "terminal/input", "data": "x"}, "Another client holds this terminal"
    ),
    Refusal(
        {**TERMINAL, "claim": THEIRS},
        {"type": "terminal/claimed", "claim": MINE},
        "Another client holds this terminal",
    ),
    Refusal(TERMINAL, {"type": "terminal/resized", "cols": 0, "rows": 10}, "cols and rows must be from 1 to 65535"),
    Refusal(
        CHANGESET,
        {"type": "changeset/filesReviewChanged", "files": ["g"], "reviewed": True},
        "None of these files is in the changeset",
    ),
    Refusal(
        REMARKS,
        {"type": "annotations/set", "annotation": {**REMARK, "entries": []}},
        "An annotation must have an entry",
    ),
    Refusal(REMARKS, {"type": "annotations/set", "annotation": {**REMARK, "id": ""}}, "An id must not be empty"),
    Refusal(
        REMARKS,
        {"type": "annotations/set", "annotation": {**REMARK, "entries": [ENTRY, ENTRY]}},
        "Two entries have the same id",
    ),
    Refusal(
        REMARKS,
        {"type": "annotations/updated", "annotationId": "b", "resolved": True},
        "There is no such annotation",
    ),
    Refusal(REMARKS, {"type": "annotations/removed", "annotationId": "b"}, "There is no such annotation"),
    Refusal(
        REMARKS,
        {"type": "annotations/entrySet", "annotationId": "b", "entry": ENTRY},
        "There is no such annotation",
    ),
    Refusal(
        REMARKS,
        {"type": "annotations/entrySet", "annotationId": "a", "entry": {"id": "", "text": ""}},
        "An id must not be empty",
    ),
    Refusal(
        REMARKS,
        {"type": "annotations/entryRemoved", "annotationId": "b", "entryId": "e"},
        "There is no such annotation",
    ),
    Refusal(
        REMARKS, {"type": "annotations/entryRemoved", "annotationId": "a", "entryId": "x"}, "There is no such entry"
    ),
    Refusal(
        REMARKS,
        {"type": "annotations/entryRemoved", "annotationId": "a", "entryId": "e"},
        "The last entry cannot be removed; remove the annotation",
    ),
]
