"""Tools for other agents: single steps of a search, and whole questions, with typed arguments and results."""

from typing import Annotated, Any

from fastapi import Body
from pydantic import RootModel
from starlette.responses import JSONResponse

from tools.wording import Words
from wenmai.application.models.tools import ToolList, ToolReply
from wenmai.inputs import NotFound
from wenmai.web.dependencies import Operations, resource

NO_TOOL = Words("没有名为 {name} 的工具，可用的有 {known}", "there is no tool {name}, but {known}")
OK, FORBIDDEN, WRONG = 200, 403, 422
DENIED = "permission_denied"
router = resource("tools")


class Result(RootModel[dict[str, Any]]):
    """What the tool gives, or `{error, …}` in the form of the tool."""


@router.get("/tools", summary="List tools")
async def listed(app: Operations) -> ToolList:
    """List the tools: the same as over MCP."""
    return ToolList(items=[*await app.tools.list()])


@router.post("/tools/{name}", summary="Call a tool", response_model=Result)
async def called(
    app: Operations, name: str, arguments: Annotated[dict[str, Any], Body(default_factory=dict)]
) -> JSONResponse:
    """Call a tool as yourself. What is wrong with a call is a result in the tool's own form, with a status of 4xx."""
    known = [one.name for one in await app.tools.list()]
    if name not in known:
        raise NotFound("name", NO_TOOL.of(name=name[:80], known=", ".join(known)))
    reply = await app.tools.call(name, arguments)
    return JSONResponse(reply.structured, status_of(reply))


def status_of(reply: ToolReply) -> int:
    """Return the status of a reply: the one that it names itself, where it does."""
    if reply.ok:
        return OK
    status = reply.structured.get("status_code")
    if isinstance(status, int):
        return status
    return FORBIDDEN if reply.structured.get("error_code") == DENIED else WRONG
