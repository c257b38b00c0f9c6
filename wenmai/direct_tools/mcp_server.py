"""The tools as a server of the Model Context Protocol; what carries it says who calls."""

from collections.abc import Awaitable, Callable
from typing import Any

from mcp.server import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams, TextContent, Tool

import wenmai
from wenmai.direct_tools.calls import Declaration, Identity, Reply
from wenmai.direct_tools.offered import DirectTools

NAME = "wenmai"
INSTRUCTIONS = (
    "问答对象是长篇故事、知识网络、用户的记忆和上传的文档。先用 list_libraries 看有哪些资料库，再用 ask 提问；"
    "其余工具是单个检索步骤。/ Ask long stories in Chinese or English: list_libraries first, then ask; "
    "the other tools are single steps of a search."
)

Context = ServerRequestContext[Any, Any]
Caller = Callable[[Context], Identity]


def server_of(tools: Callable[[], Awaitable[DirectTools]], caller: Caller) -> Server[Any]:
    """Return a server of tools that are made at the first request; `caller` says who sends one."""

    async def listed(context: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[tool_of(one.declaration) for one in (await tools()).tools.values()])

    async def called(context: Context, params: CallToolRequestParams) -> CallToolResult:
        return result_of(await (await tools()).call(params.name, params.arguments or {}, caller(context)))

    return Server(
        NAME,
        version=wenmai.__version__,
        title="文脉 Wenmai",
        instructions=INSTRUCTIONS,
        on_list_tools=listed,
        on_call_tool=called,
    )


def tool_of(known: Declaration) -> Tool:
    """Return a declaration as the protocol has it."""
    return Tool(
        name=known.name, description=known.description, input_schema=known.arguments, output_schema=known.results
    )


def result_of(reply: Reply) -> CallToolResult:
    """Return a reply as the protocol has it: an object with its text."""
    content = TextContent(type="text", text=reply.text)
    return CallToolResult(content=[content], structured_content=reply.structured, is_error=not reply.ok)
