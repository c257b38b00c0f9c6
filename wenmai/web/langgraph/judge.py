"""What must be looked up to judge a request: settings, the assistant's graph and context, the thread, the library."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid5

import httpx
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from nodes.modes import reads_stories
from state.context import Context
from tools.wording import Words
from wenmai.app.container import Services, process_services
from wenmai.application.caller import NO_LIBRARY, NO_NETWORK, Caller, allows
from wenmai.errors import ConfigError, InputError, LibraryNotFound, StoreError
from wenmai.inputs import FieldError, spoken, text_of
from wenmai.settings.settings import Settings
from wenmai.web.callers import identity_problems
from wenmai.web.langgraph.checks import context_problems, recall_problems, run_of, run_problems
from wenmai.web.langgraph.run_routes import Route
from wenmai.web.ownership import is_visible, owns
from wenmai.web.problems import NO_OBJECT, NOT_JSON

NO_CONTEXT = Words(
    "run.start 不接受 context，请写在 config.configurable 里",
    "run.start takes no context: write it into config.configurable",
)
NO_RUNS = Words("必须是运行请求的列表", "must be a list of runs")
GRAPH = "agent"  # the names in langgraph.json
RECALL_GRAPH = "memory_recall"
# The server gives each graph an assistant under an id of this namespace (its NAMESPACE_GRAPH).
NAMESPACE = UUID("6ba7b821-9dad-11d1-80b4-00c04fd430c8")
GRAPHS = (GRAPH, RECALL_GRAPH)
ASSISTANTS = {graph: uuid5(NAMESPACE, graph) for graph in GRAPHS}
TOO_MANY_RUNS = Words(
    "一次最多 {most} 个运行（MAX_BATCH_RUNS），收到 {runs} 个：请分批发送",
    "At most {most} runs at a time (MAX_BATCH_RUNS), got {runs}: send them in several batches",
)


def hidden_sources(context: Context, caller: Caller | None) -> FieldError | None:
    """Return what is wrong where a run reads a library or a network that its key does not open."""
    if caller is None:
        return None
    if reads_stories(context) and not allows(caller.libraries, context.library):
        return FieldError("context.library", NO_LIBRARY.of(name=context.library))
    hidden = next((one for one in context.kn_ids if not allows(caller.networks, one)), None)
    return None if hidden is None else FieldError("context.kn_ids", NO_NETWORK.of(name=hidden))


def first_text(run: Mapping[str, Any]) -> str:
    """Return the text of a run's last message, blank where there is none: its language is the caller's."""
    given = run.get("input")
    messages = given.get("messages") if isinstance(given, Mapping) else None
    return text_of(messages[-1]) if isinstance(messages, list) and messages else ""


@dataclass(slots=True)
class Judge:
    """Finds what is wrong with a request. Runs of other graphs, and requests that the server refuses itself, pass."""

    client: LangGraphClient | None = None

    async def services(self) -> Services:
        """Return the process's services; the first call reads files, which must not block the event loop."""
        return await asyncio.to_thread(process_services)

    async def settings(self) -> Settings:
        """Return the process's settings."""
        return (await self.services()).settings

    async def problems(self, route: Route, body: bytes) -> list[FieldError]:
        """Return every wrong field of a request, [] when it may pass."""
        try:
            payload = json.loads(body)
        except (ValueError, RecursionError):
            return [FieldError("body", NOT_JSON)]
        if claimed := identity_problems(payload, route.caller):
            return claimed
        if route.kind == "batch":
            return await self.batch_problems(payload, route.caller)
        if not isinstance(payload, Mapping):
            return [FieldError("body", NO_OBJECT)]
        return await self.object_problems(route, payload)

    async def batch_problems(self, payload: object, caller: Caller | None) -> list[FieldError]:
        """Return the problems of each run of a batch, with its place in the list."""
        if not isinstance(payload, list) or not all(isinstance(one, Mapping) for one in payload):
            return [FieldError("body", NO_RUNS)]
        if len(payload) > (most := (await self.settings()).max_batch_runs):
            return [FieldError("body", spoken(TOO_MANY_RUNS, first_text(payload[0]), runs=len(payload), most=most))]
        found = [await self.object_problems(Route("run", caller=caller), one) for one in payload]
        return [
            FieldError(f"[{at}].{one.field}", one.reason, one.status)
            for at, problems in enumerate(found)
            for one in problems
        ]

    async def object_problems(self, route: Route, payload: Mapping[str, Any]) -> list[FieldError]:
        """Return the problems of one request."""
        if route.kind == "command":
            return await self.command_problems(route, payload)
        if route.kind == "assistant":
            return context_problems(payload) if payload.get("graph_id") in GRAPHS else []
        if route.kind == "cron_change":
            return await self.run(route, payload, {}) if "input" in payload else context_problems(payload)
        assistant = await self.assistant(route.assistant or payload.get("assistant_id"), route.caller)
        if assistant.get("graph_id") not in GRAPHS:
            return []
        if route.kind == "assistant_change":
            return context_problems(payload)
        if assistant["graph_id"] == RECALL_GRAPH:
            return await self.recall(route, payload)
        return await self.run(route, payload, assistant)

    async def command_problems(self, route: Route, payload: Mapping[str, Any]) -> list[FieldError]:
        """Return the problems of a command of the event-streaming protocol; only run.start brings input."""
        params = payload.get("params")
        if payload.get("method") != "run.start" or not isinstance(params, Mapping):
            return []
        if params.get("context") is not None:
            return [FieldError("context", NO_CONTEXT)]
        given = {name: value for name, value in params.items() if name != "context"}
        return await self.object_problems(Route("run", route.thread, caller=route.caller), given)

    async def run(self, route: Route, payload: Mapping[str, Any], assistant: Mapping[str, Any]) -> list[FieldError]:
        """Return the problems of a run's question, context and library."""
        if await self.goes_on(route, payload):
            if found := context_problems(payload):
                return found
            return [hidden] if (hidden := hidden_sources(run_of(payload, assistant), route.caller)) else []
        if found := run_problems(payload, (await self.settings()).max_question_chars):
            return found
        context = run_of(payload, assistant)
        if hidden := hidden_sources(context, route.caller):
            return [hidden]
        return await self.network_problems(context) or await self.store_problems(context)

    async def recall(self, route: Route, payload: Mapping[str, Any]) -> list[FieldError]:
        """Return the problems of a recall's query and context; it needs no library."""
        if await self.goes_on(route, payload):
            return context_problems(payload)
        return recall_problems(payload, (await self.settings()).max_question_chars)

    async def goes_on(self, route: Route, payload: Mapping[str, Any]) -> bool:
        """Return True if a run goes on with a thread, which needs no question."""
        if route.thread is None or route.kind != "run":
            return False
        if payload.get("command") is not None:
            return True
        if payload.get("input") is not None:
            return False
        if payload.get("checkpoint") or payload.get("checkpoint_id"):
            return True
        return await self.has_open_step(route.thread, route.caller)

    async def network_problems(self, context: Context) -> list[FieldError]:
        """Return a problem where a network of the run does not exist, or those that are kept here cannot be read."""
        try:
            await (await self.services()).opening.open_networks(context)
        except InputError as error:
            return [FieldError("context.kn_ids", str(error))]
        except StoreError as error:
            return [FieldError("context.kn_ids", str(error), status=503)]
        return []

    async def store_problems(self, context: Context) -> list[FieldError]:
        """Return a problem where the library does not exist, or what a run reads cannot be used now.

        A lock is never waited for.
        """
        try:
            services = await self.services()
            await services.opening.open_documents(context)
            if reads_stories(context):
                await services.opening.open_library(context.library)
        except LibraryNotFound as error:
            return [FieldError("context.library", str(error))]
        except InputError as error:
            return [FieldError("context.mode", str(error))]
        except (StoreError, ConfigError) as error:
            return [FieldError("context.library", str(error), status=503)]
        return []

    async def assistant(self, name: object, caller: Caller | None) -> Mapping[str, Any]:
        """Return an assistant by id or graph name, {} where there is none, or none that the caller may see."""
        try:
            id = ASSISTANTS.get(str(name)) or UUID(str(name))
            found = await self.server().assistants.get(str(id))
            return found if is_visible(found, caller) else {}
        except ValueError:  # the name of another graph, or nonsense
            return {}
        except httpx.HTTPStatusError:
            return {}

    async def has_open_step(self, thread: str, caller: Caller | None) -> bool:
        """Return True if a thread of the caller stopped in the middle of a turn."""
        try:
            if caller and not owns(await self.server().threads.get(thread), caller):
                return False
            return bool((await self.server().threads.get_state(thread))["next"])
        except httpx.HTTPStatusError:
            return False

    def server(self) -> LangGraphClient:
        """Return a client that talks to this server inside the process."""
        if self.client is None:
            self.client = get_client()
        return self.client
