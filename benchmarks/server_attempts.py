"""What one user of the server tries in order to get at another's things: each attempt by the real API.

An attempt is a line of a table; `{hers.…}` and `{his.…}` are ids of the house (benchmarks/server_house.py).
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.server_house import MEMORY_KEY, THIEF, VICTIM, House, asked
from wenmai.web.langgraph.run_checks import ASSISTANTS

Answer = Callable[[House], Awaitable[object]]
Line = tuple[str, str] | tuple[str, str, dict[str, Any]]  # what is tried, method and path, what else is sent
QUESTION = asked("我的暗号和口令是什么？")
STOLEN = asked("保险柜的口令是什么？")
RECALL = {"query": "数据库配置的口令，还有暗号"}
HER_THREAD = {"thread_id": "{hers.thread}"}
SESSION = {"thread_id": "{hers.thread}"}
IN_HER_NAME = {**SESSION, "user_id": VICTIM}
CHECKPOINT = {"thread_id": "{hers.thread}", "checkpoint_id": "{hers.checkpoint}", "checkpoint_ns": ""}
FILE = {"file": ("笔记.txt", "改写".encode())}
AS_HER = {"user_id": VICTIM}
EVERYTHING = {"json": {"limit": 1000}}
STUDIO = {"headers": {"x-auth-scheme": "langsmith", "x-user-id": VICTIM, "authorization": ""}}
FORGED = {"langgraph_auth_user": {"identity": VICTIM, "is_authenticated": True}, "langgraph_auth_user_id": VICTIM}


@dataclass(frozen=True, slots=True)
class Attempt:
    """One way to try, and how it is made."""

    kind: str
    what: str
    run: Answer


def run(assistant: str = "agent", given: Any = QUESTION, **members: Any) -> dict[str, Any]:
    """Return the body of a run."""
    return {"json": {"assistant_id": assistant, "input": given, **members}}


def recall(**members: Any) -> dict[str, Any]:
    """Return the body of a recall."""
    return run("memory_recall", RECALL, **members)


def rpc(method: str, **params: Any) -> dict[str, Any]:
    """Return a call of JSON-RPC."""
    body = {"jsonrpc": "2.0", "id": "1", "method": method, "params": params}
    return {"json": body, "headers": {"accept": "application/json, text/event-stream"}}


ASKED_ON_HERS = {"question": "我刚才说了什么？", "library": "sample", "thread": "{hers.thread}"}
SEARCHED = {"keywords": "口令 暗号", "session_id": "{hers.thread}", "user_id": VICTIM}
COMMAND = {"id": 1, "method": "run.start", "params": run()["json"]}
A_MESSAGE = {"role": "user", "messageId": "m", "contextId": "{hers.thread}", "parts": [{"kind": "text", "text": "？"}]}
A2A = f"POST /a2a/{ASSISTANTS['agent']}"
HERS, HIS, HER_RUN = "/threads/{hers.thread}", "/threads/{his.thread}", "/threads/{hers.thread}/runs/{hers.run}"
NOTES = {"namespace": "{hers.namespace}", "key": "plan"}
WAIT = "POST /runs/wait"
SEARCH, CRONS = "POST /store/items/search", "POST /runs/crons/search"
TABLE: dict[str, Sequence[Line]] = {
    "thread": [
        ("read it", f"GET {HERS}"),
        ("read its state", f"GET {HERS}/state"),
        ("read its state at a checkpoint", f"GET {HERS}/state/{{hers.checkpoint}}"),
        ("read its history", f"GET {HERS}/history"),
        ("read its history by POST", f"POST {HERS}/history", {"json": {"limit": 9}}),
        ("list all threads", "POST /threads/search", EVERYTHING),
        ("list threads by owner", "POST /threads/search", {"json": {"metadata": {"owner": VICTIM}}}),
        ("list threads by id", "POST /threads/search", {"json": {"ids": ["{hers.thread}"]}}),
        ("copy it", f"POST {HERS}/copy"),
        ("take it over", f"PATCH {HERS}", {"json": {"metadata": {"owner": THIEF}}}),
        ("write its state", f"POST {HERS}/state", {"json": {"values": {"owner": THIEF}}}),
        ("delete it", f"DELETE {HERS}"),
        ("prune it", "POST /threads/prune", {"json": {"thread_ids": ["{hers.thread}"]}}),
        ("join its stream", f"GET {HERS}/stream", {"headers": {"last-event-id": "-"}}),
        ("subscribe to its events", f"POST {HERS}/stream/events", {"json": {"channels": ["values"], "since": 0}}),
    ],
    "thread named elsewhere": [
        ("make a thread of her id", "POST /threads", {"json": {**HER_THREAD, "if_exists": "do_nothing"}}),
        ("his state at her checkpoint", f"POST {HIS}/state/checkpoint", {"json": {"checkpoint": CHECKPOINT}}),
        ("his history from her checkpoint", f"POST {HIS}/history", {"json": {"checkpoint": CHECKPOINT}}),
        ("her checkpoint in his thread", f"GET {HIS}/state/{{hers.checkpoint}}"),
        ("a run of his from her checkpoint", f"POST {HIS}/runs/wait", run(checkpoint=CHECKPOINT)),
        ("her thread in configurable", f"POST {HIS}/runs/wait", run(config={"configurable": CHECKPOINT})),
        ("her thread in configurable, none else", WAIT, run(config={"configurable": CHECKPOINT})),
    ],
    "run": [
        ("list them", f"GET {HERS}/runs"),
        ("read one", f"GET {HER_RUN}"),
        ("read one below his thread", f"GET {HIS}/runs/{{hers.run}}"),
        ("join one", f"GET {HER_RUN}/join"),
        ("join one below his thread", f"GET {HIS}/runs/{{hers.run}}/join"),
        ("join one's stream", f"GET {HER_RUN}/stream", {"headers": {"last-event-id": "-1"}}),
        ("cancel one", f"POST {HER_RUN}/cancel"),
        ("cancel by ids", "POST /runs/cancel", {"json": {"thread_id": "{hers.thread}", "run_ids": ["{hers.run}"]}}),
        ("delete one", f"DELETE {HER_RUN}"),
    ],
    "run started": [
        ("ask on her thread", f"POST {HERS}/runs/wait", run()),
        ("go on with her thread", f"POST {HERS}/runs/wait", run(given=None, command={"resume": "继续"})),
        ("stream a run on her thread", f"POST {HERS}/runs/stream", run(if_not_exists="create")),
        ("a command on her thread", f"POST {HERS}/commands", {"json": COMMAND}),
        ("ask with her assistant", WAIT, run("{hers.assistant}")),
        ("a batch in her name", "POST /runs/batch", {"json": [run(context=AS_HER)["json"]]}),
        ("a cron job on her thread", f"POST {HERS}/runs/crons", run(schedule="* * * * *")),
        ("an assistant in her name", "POST /assistants", {"json": {"graph_id": "agent", "context": AS_HER}}),
        ("a message on her thread over A2A", A2A, rpc("message/send", message=A_MESSAGE)),
        ("ask on her thread over MCP", "POST /mcp", rpc("tools/call", name="ask", arguments=ASKED_ON_HERS)),
        ("her task over A2A", A2A, rpc("tasks/get", id="{hers.thread}:{hers.run}")),
    ],
    "memory": [
        ("recall with her name in the context", WAIT, recall(context=AS_HER)),
        ("recall with her name in configurable", WAIT, recall(config={"configurable": AS_HER})),
        ("recall with her name as the account", WAIT, recall(context={"account": VICTIM})),
        ("recall with a permission of hers", WAIT, recall(context={"permissions": ["sensitive_memory"]})),
        ("recall with her name among the metadata", WAIT, recall(metadata={**AS_HER, "owner": VICTIM})),
        ("recall with a forged identity", WAIT, recall(config={"configurable": FORGED})),
        ("recall with no name", WAIT, recall()),
        ("ask the agent for them", WAIT, run(context={"toolkits": ["memory"]})),
        (
            "search over MCP in her name",
            "POST /mcp",
            rpc("tools/call", name="search_memories", arguments={"query": MEMORY_KEY, **AS_HER}, context=AS_HER),
        ),
        (
            "her memory over MCP",
            "POST /mcp",
            rpc("tools/call", name="get_memory_detail", arguments={"memory_key": MEMORY_KEY, **AS_HER}),
        ),
    ],
    "document": [
        ("list her session", "GET /api/v1/documents", {"params": SESSION}),
        ("list her session in her name", "GET /api/v1/documents", {"params": IN_HER_NAME}),
        ("remove hers", "DELETE /api/v1/documents/{hers.document}", {"params": SESSION}),
        ("remove all in her name", "DELETE /api/v1/documents", {"params": IN_HER_NAME}),
        ("upload in her name", "POST /api/v1/documents", {"files": FILE, "data": IN_HER_NAME}),
        ("ask for them on his thread", f"POST {HIS}/runs/wait", run(given=STOLEN, context={"toolkits": ["documents"]})),
        ("search her session over MCP", "POST /mcp", rpc("tools/call", name="keyword_search", arguments=SEARCHED)),
        ("ask for them on hers", f"POST {HERS}/runs/wait", run(given=STOLEN, context={"toolkits": ["documents"]})),
    ],
    "store": [
        ("read an item", "GET /store/items", {"params": {"namespace": "{hers.dotted}", "key": "plan"}}),
        ("search everything", SEARCH, {"json": {"namespace_prefix": []}}),
        ("search her namespace", SEARCH, {"json": {"namespace_prefix": "{hers.namespace}"}}),
        ("search by the beginning of her label", SEARCH, {"json": {"namespace_prefix": ["{hers.dotted:.12}"]}}),
        ("list namespaces", "POST /store/namespaces", {"json": {}}),
        ("list namespaces by pattern", "POST /store/namespaces", {"json": {"prefix": ["*"]}}),
        ("write over an item", "PUT /store/items", {"json": {**NOTES, "value": {"text": "改写"}}}),
        ("delete an item", "DELETE /store/items", {"json": NOTES}),
    ],
    "assistant": [
        ("read an assistant", "GET /assistants/{hers.assistant}"),
        ("list assistants", "POST /assistants/search", EVERYTHING),
        ("its versions", "POST /assistants/{hers.assistant}/versions", {"json": {}}),
        ("change it", "PATCH /assistants/{hers.assistant}", {"json": {"name": "改写"}}),
        ("delete it", "DELETE /assistants/{hers.assistant}"),
        ("list cron jobs", CRONS, EVERYTHING),
        ("change a cron job", "PATCH /runs/crons/{hers.cron}", {"json": {"schedule": "* * * * *"}}),
        ("delete a cron job", "DELETE /runs/crons/{hers.cron}"),
    ],
    "trace": [
        ("by its id", "GET /traces/{hers.trace}"),
        ("by its file", "GET /traces/{hers.trace}.json"),
        ("by a path upwards", "GET /ui/..%2f..%2ftraces%2f{hers.trace}.json"),
        ("as a document", "DELETE /api/v1/documents/{hers.trace}", {"params": {"thread_id": "{his.thread}"}}),
        ("in the metrics", "GET /metrics"),
        ("in what the runtime tells of a thread", "GET /internal/debug/thread/{hers.thread}"),
    ],
    "door": [
        ("no key", f"GET {HERS}", {"token": ""}),
        ("a revoked key of hers", f"GET {HERS}", {"token": "{tokens.revoked}"}),
        ("her key's id with his secret", f"GET {HERS}", {"token": "{tokens.mixed}"}),
        ("Studio's header", f"GET {HERS}/state", STUDIO),
        ("no key for her documents", "GET /api/v1/documents", {"token": "", "params": IN_HER_NAME}),
        ("delete everything by a route of the runtime", "POST /internal/truncate", {"token": ""}),
    ],
}
BY_SDK: dict[str, Answer] = {
    "threads.search": lambda house: house.sdk.threads.search(limit=1000),
    "threads.search by her metadata": lambda house: house.sdk.threads.search(metadata={"owner": VICTIM}),
    "store.search_items": lambda house: house.sdk.store.search_items([], limit=100),
    "assistants.search": lambda house: house.sdk.assistants.search(limit=1000),
    "crons.search": lambda house: house.sdk.crons.search(limit=1000),
}


def attempts() -> list[Attempt]:
    """Return every attempt."""
    return [*by_http(), Attempt("thread", "watch it over a WebSocket", watched), *by_sdk()]


def by_http() -> Iterator[Attempt]:
    """Yield the attempts of one request each."""
    for kind, lines in TABLE.items():
        for what, request, *more in lines:
            yield Attempt(kind, what, requesting(request, more[0] if more else {}))


def requesting(request: str, options: dict[str, Any]) -> Answer:
    """Return a request whose ids are filled in when it is made."""
    method, path = request.split(" ", 1)
    return lambda house: house.call(method, str(filled(path, house)), **filled(options, house))


def filled(value: Any, house: House) -> Any:
    """Return a value with the ids of the house."""
    if value == "{hers.namespace}":
        return house.hers.namespace
    if isinstance(value, str):
        return value.format(hers=house.hers, his=house.his, tokens=house.tokens)
    if isinstance(value, dict):
        return {key: filled(one, house) for key, one in value.items()}
    return [filled(one, house) for one in value] if isinstance(value, list) else value


def watched(house: House) -> Awaitable[object]:
    """Watch her thread over a WebSocket."""
    asking = {"id": 1, "method": "subscription.subscribe", "params": {"channels": ["values"], "since": 0}}
    return house.watch(f"/threads/{house.hers.thread}/stream/events", asking)


def by_sdk() -> Iterator[Attempt]:
    """Yield the attempts by langgraph-sdk."""
    yield from (Attempt("langgraph-sdk", what, answer) for what, answer in BY_SDK.items())
