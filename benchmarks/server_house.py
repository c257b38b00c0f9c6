"""A running LangGraph server with the things of two users, and the clients that each of them has."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

VICTIM, THIEF = "alice", "mallory"
SECRET = "海棠七号"  # stands in everything of the victim, and nowhere else
MEMORY_KEY = "db_config_001"
SECONDS = 60.0
WATCHED_SECONDS = 4.0  # a stream that says nothing is left after it
STREAM_BYTES = 200_000


def asked(question: str) -> dict[str, Any]:
    """Return a graph's input."""
    return {"messages": [{"role": "user", "content": question}]}


@dataclass(frozen=True, slots=True)
class Tokens:
    """The keys of both."""

    victim: str
    thief: str
    revoked: str

    @property
    def mixed(self) -> str:
        """A token of her key's id and his secret."""
        return "_".join([*self.victim.split("_", 2)[:2], self.thief.split("_", 2)[2]])


@dataclass(slots=True)
class Things:
    """The ids of what a user has."""

    thread: str = ""
    run: str = ""
    checkpoint: str = ""
    assistant: str = ""
    cron: str = ""
    document: str = ""
    trace: str = ""
    namespace: list[str] = field(default_factory=list)

    @property
    def dotted(self) -> str:
        """The namespace as the query of a request names it."""
        return ".".join(self.namespace)


@dataclass(slots=True)
class House:
    """The server as the thief sees it: his client, his things, and the ids of the victim's, which he somehow knows."""

    url: str
    tokens: Tokens
    http: httpx.AsyncClient
    sdk: LangGraphClient
    hers: Things
    his: Things

    async def call(self, method: str, path: str, *, token: str | None = None, **request: Any) -> str:
        """Send a request as the thief and return status and body; a stream is read for a while."""
        headers = dict(request.pop("headers", {}))
        if token is not None:
            headers["authorization"] = f"Bearer {token}" if token else ""
        body = bytearray()
        try:
            async with asyncio.timeout(SECONDS), self.http.stream(method, path, headers=headers, **request) as reply:
                seconds = WATCHED_SECONDS if "event-stream" in reply.headers.get("content-type", "") else SECONDS
                async with asyncio.timeout(seconds):
                    async for piece in reply.aiter_bytes():
                        body += piece
                        if len(body) > STREAM_BYTES:
                            break
        except TimeoutError:
            body += b" (nothing more came)"
        except httpx.TransportError as error:
            return f"{type(error).__name__} {body.decode(errors='replace')}"
        return f"{reply.status_code} {body.decode(errors='replace')}"

    async def watch(self, path: str, *commands: dict[str, Any]) -> str:
        """Send commands over a WebSocket as the thief and return what comes back within a while."""
        url = self.url.replace("http", "ws", 1) + path
        heard: list[str] = []
        try:
            async with connect(url, additional_headers={"authorization": f"Bearer {self.tokens.thief}"}) as socket:
                for command in commands:
                    await socket.send(json.dumps(command))
                async with asyncio.timeout(WATCHED_SECONDS):
                    async for message in socket:
                        heard.append(str(message))
        except (TimeoutError, ConnectionClosed, InvalidHandshake) as error:
            heard.append(type(error).__name__)
        return " ".join(heard)

    async def hers_is_whole(self) -> list[str]:
        """Return what of the victim's is gone or changed; she looks with her own key."""
        found: list[str] = []
        async with client_of(self.url, self.tokens.victim) as (http, sdk):
            hers = self.hers
            thread: Any = await sdk.threads.get(hers.thread)
            state: Any = await sdk.threads.get_state(hers.thread)
            item: Any = await sdk.store.get_item(hers.namespace, key="plan")
            assistant: Any = await sdk.assistants.get(hers.assistant)
            crons: Any = await sdk.crons.search()
            runs: Any = await sdk.runs.list(hers.thread)
            documents = await http.get("/api/v1/documents", params={"thread_id": hers.thread})
            recalled: Any = await sdk.runs.wait(None, "memory_recall", input={"query": "数据库配置的口令"})
            checks = {
                "thread": SECRET in str(thread["metadata"]) and thread["metadata"]["owner"] == VICTIM,
                "state": SECRET in str(state["values"]) and len(state["values"]["messages"]) == 2,
                "store item": item is not None and SECRET in str(item["value"]),
                "assistant": assistant["name"] == SECRET,
                "cron": [cron["cron_id"] for cron in crons] == [hers.cron],
                "run": [run["run_id"] for run in runs] == [hers.run],
                "document": [row["id"] for row in documents.json()["items"]] == [hers.document],
                "memory": SECRET in str(recalled["recalled"]),
            }
            found = [name for name, is_whole in checks.items() if not is_whole]
        return found


@asynccontextmanager
async def client_of(url: str, token: str) -> AsyncIterator[tuple[httpx.AsyncClient, LangGraphClient]]:
    """Yield the clients of a key."""
    headers = {"authorization": f"Bearer {token}"}
    async with (
        httpx.AsyncClient(base_url=url, headers=headers, timeout=SECONDS) as http,
        get_client(url=url, api_key=None, headers=headers) as sdk,
    ):
        yield http, sdk


@asynccontextmanager
async def opened(url: str, tokens: Tokens) -> AsyncIterator[House]:
    """Furnish the server with things of both and yield it as the thief has it."""
    async with client_of(url, tokens.victim) as (http, sdk):
        hers = await furnished(http, sdk, SECRET)
    async with client_of(url, tokens.thief) as (http, sdk):
        yield House(url, tokens, http, sdk, hers, await furnished(http, sdk, "寻常之物"))


async def furnished(http: httpx.AsyncClient, sdk: LangGraphClient, word: str) -> Things:
    """Make one thing of every kind, each with a word in it."""
    thread: Any = await sdk.threads.create(metadata={"topic": word})
    id = thread["thread_id"]
    output: Any = await sdk.runs.wait(id, "agent", input=asked(f"苏晚亭是谁？暗号{word}"), metadata={"topic": word})
    runs: Any = await sdk.runs.list(id)
    state: Any = await sdk.threads.get_state(id)
    await sdk.store.put_item(["notes"], key="plan", value={"text": word})
    items: Any = await sdk.store.search_items(["notes"])
    assistant: Any = await sdk.assistants.create("agent", name=word, context={"library": "sample"})
    cron: Any = await sdk.crons.create("agent", schedule="0 0 1 1 *", input=asked(f"每年问一次{word}"))
    file = {"file": ("笔记.txt", f"保险柜的口令是{word}。".encode())}
    uploaded = await http.post("/api/v1/documents", files=file, data={"thread_id": id})
    uploaded.raise_for_status()
    return Things(
        thread=id,
        run=runs[0]["run_id"],
        checkpoint=state["checkpoint"]["checkpoint_id"],
        assistant=assistant["assistant_id"],
        cron=cron["cron_id"],
        document=uploaded.json()["document"]["id"],
        trace=Path(output["result"]["trace"] or "").stem,
        namespace=list(items["items"][0]["namespace"]),
    )
