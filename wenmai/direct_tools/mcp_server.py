"""The tools as a server of the Model Context Protocol; what carries it says who calls."""

from collections.abc import Awaitable, Callable, Sequence
from importlib.metadata import version
from typing import Any

from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
    Tool,
)

from tools.errors import WenmaiError
from tools.formatting import dump
from wenmai.direct_tools.calls import Declaration, Identity, Reply
from wenmai.direct_tools.chapters import TEMPLATE, Place
from wenmai.direct_tools.offered import DirectTools

NAME = "wenmai"
TEXT, JSON = "text/plain", "application/json"
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

    async def tables(context: Context, params: PaginatedRequestParams | None) -> ListResourcesResult:
        known = await (await tools()).chapters.libraries(caller(context))
        rows = [Resource(name=title, uri=uri, mime_type=JSON) for uri, title in known.items()]
        return ListResourcesResult(resources=rows)

    async def templates(context: Context, params: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
        template = ResourceTemplate(name="chapter", uri_template=TEMPLATE, mime_type=TEXT)
        return ListResourceTemplatesResult(resource_templates=[template])

    async def read(context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        try:
            found = await (await tools()).chapters.read(params.uri, caller(context))
        except WenmaiError as error:
            raise MCPError(INVALID_PARAMS, str(error)) from error
        return contents_of(params.uri, found)

    return named_server(
        on_list_tools=listed,
        on_call_tool=called,
        on_list_resources=tables,
        on_list_resource_templates=templates,
        on_read_resource=read,
    )


def named_server(**handlers: Any) -> Server[Any]:
    """Return a server of this product's name with the handlers of its requests."""
    return Server(NAME, version=version(NAME), title="文脉 Wenmai", instructions=INSTRUCTIONS, **handlers)


def tool_of(known: Declaration) -> Tool:
    """Return a declaration as the protocol has it."""
    return Tool(
        name=known.name, description=known.description, input_schema=known.arguments, output_schema=known.results
    )


def contents_of(uri: str, found: str | Sequence[Place]) -> ReadResourceResult:
    """Return a chapter as text, a table of contents as JSON."""
    if isinstance(found, str):
        return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=TEXT, text=found)])
    table = dump([one.model_dump() for one in found])
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=JSON, text=table)])


def result_of(reply: Reply) -> CallToolResult:
    """Return a reply as the protocol has it: an object with its text."""
    content = TextContent(type="text", text=reply.text)
    return CallToolResult(content=[content], structured_content=reply.structured, is_error=not reply.ok)
