"""Tools for other agents: single steps of a search, and whole questions, with typed arguments and results."""

import asyncio
from typing import Any

from pydantic import BaseModel, Field, RootModel
from starlette.responses import JSONResponse, Response

from tools.wording import Words
from wenmai.direct_tools.calls import Reply
from wenmai.direct_tools.offered import DirectTools, direct_tools
from wenmai.inputs import NotFound
from wenmai.web.api.access import Api, api_of, viewer
from wenmai.web.callers import identity_of
from wenmai.web.rest.endpoints import Call, Resource

NO_TOOL = Words("没有名为 {name} 的工具，可用的有 {known}", "there is no tool {name}, but {known}")
OK, FORBIDDEN, WRONG = 200, 403, 422
DENIED = "permission_denied"
resource = Resource("tools")


class ToolView(BaseModel):
    """A tool as a model declares it."""

    name: str
    description: str
    arguments: dict[str, Any] = Field(description="JSON schema of the arguments")
    results: dict[str, Any] | None = Field(description="JSON schema of the result, where it has one form")


class ToolList(BaseModel):
    """The tools."""

    items: list[ToolView]


class Arguments(RootModel[dict[str, Any]]):
    """The arguments of a call, as the tool declares them."""


class Result(RootModel[dict[str, Any]]):
    """What the tool gives, or `{error, …}` in the form of the tool."""


@resource.get("/tools", "List tools")
async def listed(call: Call[None, None]) -> ToolList:
    """List the tools: the same as over MCP."""
    known = [one.declaration for one in (await tools_of(api_of(call))).tools.values()]
    return ToolList(
        items=[
            ToolView(name=one.name, description=one.description, arguments=one.arguments, results=one.results)
            for one in known
        ]
    )


@resource.post("/tools/{name}", "Call a tool")
async def called(call: Call[None, Arguments]) -> Result | Response:
    """Call a tool as yourself. What is wrong with a call is a result in the tool's own form, with a status of 4xx."""
    tools, name = await tools_of(api_of(call)), call.part("name")
    if name not in tools.tools:
        raise NotFound("name", NO_TOOL.of(name=name[:80], known=", ".join(tools.tools)))
    reply = await tools.call(name, call.body.root, identity_of(viewer(call)))
    return JSONResponse(reply.structured, status_of(reply))


async def tools_of(api: Api) -> DirectTools:
    """Return the tools; the first call loads minds, which must not block the event loop."""
    if api.tools is None:
        api.tools = await asyncio.to_thread(direct_tools, await api.services(), api.asker)
    return api.tools


def status_of(reply: Reply) -> int:
    """Return the status of a reply: the one that it names itself, where it does."""
    if reply.ok:
        return OK
    status = reply.structured.get("status_code")
    if isinstance(status, int):
        return status
    return FORBIDDEN if reply.structured.get("error_code") == DENIED else WRONG
