"""Which requests of a LangGraph server start a run or store what runs are started with, and what is wrong with them.

The checks follow the rules of `wenmai.inputs`. Legal without a question, because LangGraph defines it so: a `command`
on a thread, and `input: null` on a thread that has an open step or names a checkpoint. Their context is checked all the
same.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID, uuid5

import httpx
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from nodes.modes import reads_stories
from state.context import Context
from tools.errors import ConfigError, InputError, LibraryNotFound, StoreError
from tools.messages import Message
from wenmai import inputs
from wenmai.app.container import Services, services_in_thread
from wenmai.application.caller import Caller, allows
from wenmai.inputs import FieldError
from wenmai.settings.settings import Settings
from wenmai.web.langgraph.identity import identity_problems, is_visible, owns

Kind = Literal["run", "batch", "cron", "cron_change", "assistant", "assistant_change", "command"]
THREAD = r"(?:/threads/(?P<thread>[^/]+))?"
ROUTES: tuple[tuple[str, str, Kind], ...] = (
    ("POST", THREAD + r"/runs(?:/stream|/wait)?", "run"),
    ("POST", r"/runs/batch", "batch"),
    ("POST", THREAD + r"/runs/crons", "cron"),
    ("PATCH", r"/runs/crons/[^/]+", "cron_change"),
    ("POST", r"/assistants", "assistant"),
    ("PATCH", r"/assistants/(?P<assistant>[^/]+)", "assistant_change"),
    ("POST", r"/threads/(?P<thread>[^/]+)/commands", "command"),
)
# Routes of the runtime of `langgraph dev` that ask nobody who he is: threads without their owners, deletion of
# everything, a deployment of this folder.
CLOSED = re.compile(r"/(?:internal|deploy)(?:/.*)?")
# Uploads count their own bytes, of which there may be more.
UPLOAD = re.compile(r"/api/v1/(?:documents|libraries/[^/]+/(?:sources|tables)|networks/[^/]+(?:/preview)?|previews)")
BODILESS = frozenset({"GET", "HEAD", "OPTIONS"})
SOCKET = re.compile(r"/threads/(?P<thread>[^/]+)/stream/events")
# The server turns config.configurable into the context; these keys of it are LangGraph's own.
OWN_KEYS = frozenset(
    {"thread_id", "checkpoint_id", "checkpoint_ns", "checkpoint_map", "run_id", "graph_id", "assistant_id", "cron_id"}
)
# Where the context may stand, by the last part of the name.
HOLDERS = {"context": "context", "config": "config", "configurable": "config.configurable"}
# Metadata is the caller's own and may well hold a library or a language; these can only be meant for the context.
GUARDS = ("as_of_chapter", "as_of_part")
DECISIVE = ("library", "toolkits", "mode", "remember", "kn_ids", "as_of_chapter")  # on the stores of a run
OWN_PREFIXES = ("__", "langgraph_", "x-")
GRAPH = "agent"  # the names in langgraph.json
RECALL_GRAPH = "memory_recall"
# The server gives each graph an assistant under an id of this namespace (its NAMESPACE_GRAPH).
NAMESPACE = UUID("6ba7b821-9dad-11d1-80b4-00c04fd430c8")
GRAPHS = (GRAPH, RECALL_GRAPH)
ASSISTANTS = {graph: uuid5(NAMESPACE, graph) for graph in GRAPHS}


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A request that is checked, with the ids in its path and who sends it."""

    kind: Kind
    thread: str | None = None
    assistant: str | None = None
    caller: Caller | None = None


def route_of(method: str, path: str) -> RunRequest | None:
    """Return what a request does, None where it needs no check. A2A comes back as a run of its own."""
    for wanted, pattern, kind in ROUTES:
        if method == wanted and (found := re.fullmatch(pattern, path.rstrip("/"))):
            ids: Any = found.groupdict()
            return RunRequest(kind, **ids)
    return None


def is_closed(path: str) -> bool:
    """Return True if a path is answered to nobody."""
    return CLOSED.fullmatch(path) is not None


def has_counted_body(method: str, path: str) -> bool:
    """Return True if the bytes of a request are counted while they are read."""
    return method not in BODILESS and not (method == "POST" and UPLOAD.fullmatch(path.rstrip("/")))


def is_json(content_type: str) -> bool:
    """Return True for JSON; what a page may send anywhere without asking (`text/plain`, a form) is never JSON."""
    kind = content_type.partition(";")[0].strip().lower()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


def socket_thread(path: str) -> str | None:
    found = SOCKET.fullmatch(path.rstrip("/"))
    return found["thread"] if found else None


def check_once(body: bytes) -> None:
    """Refuse JSON that names a field of an object twice: one of two guards would be dropped. Raises FieldError."""

    def object_of(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
            raise FieldError(twice[:80], Message("field.given_twice"))
        return found

    try:
        json.loads(body, object_pairs_hook=object_of)
    except FieldError:
        raise
    except (ValueError, RecursionError):  # no JSON: who reads it says so
        return


def problems_of(*checks: Callable[[], object]) -> list[FieldError]:
    """Return what the checks found, at most one problem each."""
    found = []
    for check in checks:
        try:
            check()
        except FieldError as error:
            found.append(error)
    return found


def context_problems(body: Mapping[str, Any]) -> list[FieldError]:
    return problems_of(
        lambda: check_strays(body),
        lambda: check_object(body, "context", inputs.context_from),
        lambda: check_object(body, "config", check_config),
    )


def check_strays(body: Mapping[str, Any]) -> None:
    """Refuse what is plainly meant for the context but stands beside it: the server would drop it without a word.

    Other unknown names pass: langgraph-sdk and Studio send more of them with each version.
    """
    refuse_strays(body, "", ("context", "config", "timezone"))  # the last one is a cron's
    metadata, config = body.get("metadata"), body.get("config")
    for name in GUARDS:
        if isinstance(metadata, Mapping) and name in metadata:
            raise FieldError(f"metadata.{name}", Message("run.belongs_in_context", name=name))
    if isinstance(config, Mapping):
        refuse_strays(config, "config.", ("configurable",))


def refuse_strays(values: Mapping[str, Any], path: str, own: Sequence[str]) -> None:
    """Refuse names that are, or nearly are, a field or a holder of the context; `own` belong here."""
    for name in values:
        meant = inputs.nearest(name, (*inputs.FIELDS, *HOLDERS))
        if meant is not None and name not in own:
            raise FieldError(
                f"{path}{name}", Message("run.unknown_field_meant", meant=HOLDERS.get(meant, f"context.{meant}"))
            )


def check_object(body: Mapping[str, Any], name: str, check: Callable[[Mapping[str, Any]], object]) -> None:
    """Check a member that may be missing; null is refused of a context alone, as the server itself would."""
    value = body.get(name)
    if value is None:
        if name == "context" and name in body:
            raise FieldError(name, Message("run.context_null"))
        return
    if not isinstance(value, Mapping):
        raise FieldError(name, Message("run.not_an_object", value=str(value)[:80]))
    check(value)


def check_config(config: Mapping[str, Any]) -> None:
    """Check what the server will make the context of."""
    configurable = config.get("configurable") or {}
    if not isinstance(configurable, Mapping):
        raise FieldError("config.configurable", Message("run.not_an_object", value=str(configurable)[:80]))
    own = {key for key in configurable if key in OWN_KEYS or key.startswith(OWN_PREFIXES)}
    try:
        inputs.context_from({key: value for key, value in configurable.items() if key not in own})
    except FieldError as error:
        raise FieldError(error.field.replace("context", "config.configurable", 1), error.reason) from error


def run_of(body: Mapping[str, Any], assistant: Mapping[str, Any]) -> Context:
    """Return what decides on the stores of a run: its own words, else the assistant's, else the defaults of Context."""
    config = body.get("config") or {}
    given = {**(assistant.get("context") or {}), **(body.get("context") or config.get("configurable") or {})}
    known = {name: given[name] for name in DECISIVE if given.get(name) is not None}
    return inputs.context_from(known)


def hidden_sources(context: Context, caller: Caller | None) -> FieldError | None:
    """Return what is wrong where a run reads a library or a network that its key does not open."""
    if caller is None:
        return None
    if reads_stories(context) and not allows(caller.libraries, context.library):
        return FieldError("context.library", Message("access.unknown_library", name=context.library))
    hidden = next((one for one in context.kn_ids if not allows(caller.networks, one)), None)
    return None if hidden is None else FieldError("context.kn_ids", Message("access.unknown_network", name=hidden))


@dataclass(slots=True)
class RunChecks:
    """Find what is wrong with a request by its settings, its assistant's graph and context, its thread, its library.

    Runs of other graphs, and requests that the server refuses itself, pass.
    """

    client: LangGraphClient | None = None

    async def services(self) -> Services:
        return await services_in_thread()

    async def settings(self) -> Settings:
        return (await self.services()).settings

    async def problems(self, route: RunRequest, body: bytes) -> list[FieldError]:
        """Return every wrong field of a request, [] when it may pass."""
        try:
            payload = json.loads(body)
        except (ValueError, RecursionError):
            return [FieldError("body", Message("field.not_json"))]
        if claimed := identity_problems(payload, route.caller):
            return claimed
        if route.kind == "batch":
            return await self.batch_problems(payload, route.caller)
        if not isinstance(payload, Mapping):
            return [FieldError("body", Message("field.not_a_json_object"))]
        return await self.object_problems(route, payload)

    async def batch_problems(self, payload: object, caller: Caller | None) -> list[FieldError]:
        if not isinstance(payload, list) or not all(isinstance(one, Mapping) for one in payload):
            return [FieldError("body", Message("run.not_a_list"))]
        if len(payload) > (most := (await self.settings()).max_batch_runs):
            given = payload[0].get("input")
            messages = given.get("messages") if isinstance(given, Mapping) else None
            text = inputs.text_of(messages[-1]) if isinstance(messages, list) and messages else ""  # in its language
            return [FieldError("body", inputs.spoken(Message("run.too_many"), text, runs=len(payload), most=most))]
        found = [await self.object_problems(RunRequest("run", caller=caller), one) for one in payload]
        return [
            FieldError(f"[{at}].{one.field}", one.reason, one.status)
            for at, problems in enumerate(found)
            for one in problems
        ]

    async def object_problems(self, route: RunRequest, payload: Mapping[str, Any]) -> list[FieldError]:
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
        return await self.run(route, payload, assistant)

    async def command_problems(self, route: RunRequest, payload: Mapping[str, Any]) -> list[FieldError]:
        """Return the problems of a command of the event-streaming protocol; only run.start brings input."""
        params = payload.get("params")
        if payload.get("method") != "run.start" or not isinstance(params, Mapping):
            return []
        if params.get("context") is not None:
            return [FieldError("context", Message("run.no_context_in_start"))]
        given = {name: value for name, value in params.items() if name != "context"}
        return await self.object_problems(RunRequest("run", route.thread, caller=route.caller), given)

    async def run(
        self, route: RunRequest, payload: Mapping[str, Any], assistant: Mapping[str, Any]
    ) -> list[FieldError]:
        is_recall = assistant.get("graph_id") == RECALL_GRAPH
        check = inputs.check_recall_input if is_recall else inputs.check_input
        goes_on, most = await self.goes_on(route, payload), (await self.settings()).max_question_chars
        found = [] if goes_on else problems_of(lambda: check(payload, most))
        if (found := found + context_problems(payload)) or is_recall:
            return found
        context = run_of(payload, assistant)
        if hidden := hidden_sources(context, route.caller):
            return [hidden]
        return [] if goes_on else await self.source_problems(context)

    async def goes_on(self, route: RunRequest, payload: Mapping[str, Any]) -> bool:
        """Return True if a run goes on with a thread, which needs no question."""
        if route.thread is None or route.kind != "run":
            return False
        if payload.get("command") is not None:
            return True
        if payload.get("input") is not None:
            return False
        if payload.get("checkpoint") or payload.get("checkpoint_id"):
            return True
        threads = self.server().threads
        try:  # a thread of the caller that stopped in the middle of a turn
            if route.caller and not owns(await threads.get(route.thread), route.caller):
                return False
            return bool((await threads.get_state(route.thread))["next"])
        except httpx.HTTPStatusError:
            return False

    async def source_problems(self, context: Context) -> list[FieldError]:
        """Return a problem where what a run reads does not exist or cannot be used now; a lock is never waited for."""
        opening = (await self.services()).opening
        try:
            await opening.open_networks(context)
        except (InputError, StoreError) as error:
            return [FieldError("context.kn_ids", str(error), 503 if isinstance(error, StoreError) else 422)]
        try:
            await opening.open_documents(context)
            if reads_stories(context):
                await opening.open_library(context.library)
        except LibraryNotFound as error:
            return [FieldError("context.library", str(error))]
        except InputError as error:
            return [FieldError("context.mode", str(error))]
        except (StoreError, ConfigError) as error:
            return [FieldError("context.library", str(error), 503)]
        return []

    async def assistant(self, name: object, caller: Caller | None) -> Mapping[str, Any]:
        """Return an assistant by id or graph name, {} where there is none, or none that the caller may see."""
        try:
            id = ASSISTANTS.get(str(name)) or UUID(str(name))
            found = await self.server().assistants.get(str(id))
        except (ValueError, httpx.HTTPStatusError):  # of the first kind is the name of another graph, or nonsense
            return {}
        return found if is_visible(found, caller) else {}

    def server(self) -> LangGraphClient:
        if self.client is None:
            self.client = get_client()
        return self.client
