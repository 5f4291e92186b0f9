"""What is an MCP tool's result to those who watch the session?"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]

MAX_MESSAGE = 500


def tool_result(title: str, result: Mapping[str, Any]) -> Json:
    """The `ToolCallResult` for a `CallToolResult`."""
    blocks = result.get("content")
    content = [_content(block) for block in blocks if isinstance(block, Mapping)] if isinstance(blocks, list) else []
    failed = result.get("isError") is True
    shown: Json = {"success": not failed, "pastTenseMessage": f"{'Failed: ' if failed else 'Called '}{title}"}
    if content:
        shown["content"] = content
    if isinstance(result.get("structuredContent"), dict):
        shown["structuredContent"] = result["structuredContent"]
    if failed:
        texts = [block["text"] for block in content if block["type"] == "text"]
        shown["error"] = {"message": ("\n".join(texts) or "The tool reported an error")[:MAX_MESSAGE]}
    return shown


def failed(title: str, message: str, code: str = "failed") -> Json:
    """The result of a call that came to nothing."""
    error = {"code": code, "message": message[:MAX_MESSAGE]}
    return {"success": False, "pastTenseMessage": f"Failed: {title}", "error": error}


def _content(block: Mapping[str, Any]) -> Json:
    kind = block.get("type")
    if kind == "text":
        return {"type": "text", "text": str(block.get("text", ""))}
    if kind in ("image", "audio"):
        return _embedded(str(block.get("data", "")), block.get("mimeType"))
    if kind == "resource_link":
        link = {"type": "resource", "uri": str(block.get("uri", ""))}
        return {**link, "contentType": block["mimeType"]} if isinstance(block.get("mimeType"), str) else link
    if kind == "resource" and isinstance(block.get("resource"), Mapping):
        found = block["resource"]
        if "blob" in found:
            return _embedded(str(found["blob"]), found.get("mimeType"))
        return {"type": "text", "text": str(found.get("text", ""))}
    return {"type": "text", "text": json.dumps(block, ensure_ascii=False)}


def _embedded(data: str, content_type: object) -> Json:
    kind = content_type if isinstance(content_type, str) else "application/octet-stream"
    return {"type": "embeddedResource", "data": data, "contentType": kind}
