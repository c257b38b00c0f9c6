"""The tools as a server of the Model Context Protocol, and `/mcp`, which carries it over streamable HTTP.

Each request of `/mcp` is a conversation of its own, so that nothing has to be kept between two, nor started before the
first. The check of origins of the protocol's SDK stays off: the guard in front of all routes has the one list of them.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from importlib.metadata import version
from typing import Any

from mcp import MCPError, types
from mcp.server import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Receive, Scope, Send

from tools.errors import WenmaiError
from tools.formatting import dump
from tools.messages import Message, Names, say
from wenmai.application.caller import Caller
from wenmai.application.operations import Application
from wenmai.application.tools import ToolOperations
from wenmai.direct_tools.chapters import TEMPLATE
from wenmai.direct_tools.questions import ASK
from wenmai.web.authentication import viewer_of
from wenmai.web.langgraph.identity import on_behalf

NAME = "wenmai"
PROMPT_CHARACTERS = 4_000  # of an argument
TEXT, JSON = "text/plain", "application/json"
INSTRUCTIONS = (
    "问答对象是长篇故事、知识网络、用户的记忆和上传的文档。先用 list_libraries 看有哪些资料库，再用 ask 提问；"
    "其余工具是单个检索步骤。/ Ask long stories in Chinese or English: list_libraries first, then ask; "
    "the other tools are single steps of a search."
)

QUESTION, LIBRARY, CHAPTER = "question", "library", "chapter"
PROMPTS = {"ask_a_book": (LIBRARY, QUESTION), "recap_so_far": (LIBRARY, CHAPTER), "who_is_who": (LIBRARY, CHAPTER)}
"""By name what each takes; a chapter may be left out."""

Context = ServerRequestContext[Any, Any]


def server_of(tools_of: Callable[[Context], Awaitable[ToolOperations]]) -> Server[Any]:
    """Return a server of the tools that a request may use; what carries it says who sends it."""

    async def list_tools(context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        known = await (await tools_of(context)).list()
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=one.name,
                    description=one.description,
                    input_schema=one.arguments,
                    output_schema=one.results,
                    annotations=types.ToolAnnotations(
                        read_only_hint=one.name != ASK, destructive_hint=False, open_world_hint=False
                    ),
                )
                for one in known
            ]
        )

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        reply = await (await tools_of(context)).call(params.name, params.arguments or {})
        content = types.TextContent(type="text", text=reply.text)
        return types.CallToolResult(content=[content], structured_content=reply.structured, is_error=not reply.ok)

    async def list_tables(context: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        known = await (await tools_of(context)).tables()
        rows = [types.Resource(name=title, uri=uri, mime_type=JSON) for uri, title in known.items()]
        return types.ListResourcesResult(resources=rows)

    async def list_templates(
        context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        template = types.ResourceTemplate(name="chapter", uri_template=TEMPLATE, mime_type=TEXT)
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        try:
            found = await (await tools_of(context)).read(params.uri)
        except WenmaiError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error
        kind, text = (TEXT, found) if isinstance(found, str) else (JSON, dump([one.model_dump() for one in found]))
        contents = types.TextResourceContents(uri=params.uri, mime_type=kind, text=text)
        return types.ReadResourceResult(contents=[contents])

    async def list_prompts(context: Context, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[prompt_of(name) for name in PROMPTS])

    async def get_prompt(context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        return filled_prompt(params.name, params.arguments or {})

    return Server(
        NAME,
        version=version(NAME),
        title="文脉 Wenmai",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_tables,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )


def prompt_of(name: str) -> types.Prompt:
    arguments = [
        types.PromptArgument(name=one, description=say(f"mcp.prompt.{one}"), required=one != CHAPTER)
        for one in PROMPTS[name]
    ]
    return types.Prompt(name=name, description=say(f"mcp.prompt.{name}"), arguments=arguments)


def filled_prompt(name: str, given: Mapping[str, str]) -> types.GetPromptResult:
    """Return what a user says with a prompt. Raises MCPError for an unknown one, or where an argument is missing."""
    if name not in PROMPTS:
        raise MCPError(types.INVALID_PARAMS, str(Message("mcp.unknown_prompt", name=name[:80], known=Names(PROMPTS))))
    if missing := [one for one in PROMPTS[name] if one != CHAPTER and not given.get(one, "").strip()]:
        raise MCPError(types.INVALID_PARAMS, str(Message("mcp.prompt_lacks", name=name, missing=Names(missing))))
    known = {one: " ".join(given.get(one, "").split())[:PROMPT_CHARACTERS] for one in PROMPTS[name]}
    guard = say("mcp.prompt.up_to", chapter=known[CHAPTER]) if known.get(CHAPTER) else ""
    text = say(f"mcp.prompt.{name}_text", guard=guard, **known)
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
    return types.GetPromptResult(description=say(f"mcp.prompt.{name}"), messages=[message])


class McpEndpoint:
    """The ASGI application behind the route; `application` gives the operations, opened at the first request."""

    def __init__(self, application: Callable[[], Awaitable[Application]]) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        manager = StreamableHTTPSessionManager(self._server, json_response=True, stateless=True)
        async with on_behalf(scope), manager.run():
            await manager.handle_request(scope, receive, send)

    async def tools(self, context: Context) -> ToolOperations:
        caller = Caller(user_id="") if context.request is None else viewer_of(context.request.scope)
        return (await self._application()).for_caller(caller).tools

    @cached_property
    def _server(self) -> Server[Any]:
        return server_of(self.tools)
