"""What users do on an abused server, at work and at others' things, and what its operator does."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from benchmarks.abuse_house import SHOWN, Person
from benchmarks.hostile_files import Hostile, hostile
from tests.integration.own_server import API

Act = Callable[[Person, Person, random.Random], Awaitable[None]]
QUESTIONS = (
    "苏晚亭是谁？",
    "陆沉舟把铜罗盘送给了谁？",
    "她后来怎么样了？",
    "陆沉舟和苏晚照是什么关系？",
    "主要人物有谁？",
)
OWN = ("/threads", "/traces", "/memories", "/memories/export", "/jobs", "/me", "/libraries", "/networks", "/settings")
LEAVE_S = 0.4
# Files whose making or reading takes seconds of the processor are left to benchmarks/hostile_documents.py.
TOO_SLOW = ("2 GB", "10,000 pages", "190 MB", "9 MB", "bomb", "zip in zip", "50,000", "20,000")


async def ask(who: Person, other: Person, rng: random.Random) -> None:
    """Ask on a new thread or on one of the user's."""
    thread = rng.choice([None, *sorted(who.threads)[-5:]])
    path = f"/threads/{thread}/ask" if thread else "/ask"
    question = f"{rng.choice(QUESTIONS)}暗号{who.word()}"
    reply = await who.call("ask", "POST", f"{API}{path}", json={"question": question, "library": "sample"})
    if reply is not None and reply.is_success:
        keep_turn(who, question, reply.json())


def keep_turn(who: Person, question: str, turn: dict[str, Any], *, is_whole: bool = True) -> None:
    """Note a turn that has ended; only the thread of one that need not stay whole."""
    turns = who.threads.setdefault(turn["thread_id"], [])
    if is_whole:
        turns.append((question, turn["answer"]))
    who.changed.add(turn["thread_id"])
    if turn.get("trace_id"):
        who.traces.append(turn["trace_id"])


async def ask_watched(who: Person, other: Person, rng: random.Random) -> None:
    """Ask for the events of a turn; leave it or stay to its end."""
    question, most = f"{rng.choice(QUESTIONS)}暗号{who.word()}", rng.choice([None, 1, 4])
    events = await who.stream("ask, events", "/ask", {"question": question, "library": "sample"}, most)
    for name, data in events:
        if name == "answer":
            keep_turn(who, question, data)


async def ask_and_leave(who: Person, other: Person, rng: random.Random) -> None:
    """Ask and leave before the answer: the turn may be there or not."""
    body = {"question": f"{rng.choice(QUESTIONS)}暗号{who.word()}", "library": "sample"}
    await who.call("ask and leave", "POST", f"{API}/ask", json=body, timeout=rng.uniform(0.02, LEAVE_S))


async def ask_for_own(who: Person, other: Person, rng: random.Random) -> None:
    """Ask for what was uploaded or remembered: another user has said the same with another word."""
    toolkits = rng.choice([["memory"], ["documents"], ["narrative", "memory", "documents"]])
    asked = "文件柜的钥匙号是什么？" if toolkits == ["documents"] else "保险柜的口令是什么？"
    question = f"{asked}{rng.randrange(1000)}"
    body: dict[str, Any] = {"question": question, "toolkits": toolkits}
    if "narrative" in toolkits:
        body["library"] = "sample"
    path = f"/threads/{rng.choice(sorted(who.documents))}/ask" if who.documents else "/ask"
    reply = await who.call(f"ask {'+'.join(toolkits)}", "POST", f"{API}{path}", json=body)
    if reply is not None and reply.is_success:
        turn = reply.json()
        quotes_memories = "memory" in toolkits  # a memory that is forgotten goes out of turns and traces, too
        keep_turn(who, question, turn | {"trace_id": None} if quotes_memories else turn, is_whole=not quotes_memories)


async def remember(who: Person, other: Person, rng: random.Random) -> None:
    """Write a memory, or another text over one."""
    word, key = who.word(), rng.choice(["", *sorted(who.memories)[-5:]])
    text = f"保险柜的口令是{word}。"
    if key:
        who.memories[key] = None
        reply = await who.call("remember", "PATCH", f"{API}/memories/{key}", json={"content": text})
    else:
        key = f"m{uuid4().hex}"
        reply = await who.call("remember", "POST", f"{API}/memories", json={"content": text, "key": key})
    if reply is not None and reply.is_success:
        who.memories[key] = word


async def forget(who: Person, other: Person, rng: random.Random) -> None:
    """Forget a memory."""
    if who.memories:
        key = rng.choice(sorted(who.memories))
        who.memories[key] = None
        reply = await who.call("forget", "DELETE", f"{API}/memories/{key}")
        if reply is not None and reply.is_success:
            del who.memories[key]
            gone = await who.call("forget", "GET", f"{API}/memories/{key}")
            who.house.findings.require("forget", gone is None or gone.status_code >= 400, f"{key} is still there")


async def upload(who: Person, other: Person, rng: random.Random) -> None:
    """Upload a document of the user's, waiting for it or as a job."""
    thread = rng.choice(sorted(who.threads)) if who.threads and rng.random() < 0.7 else str(uuid4())
    name = f"{who.mark}-{rng.randrange(4)}.txt"
    # In other words than memories: one that is forgotten takes the same words out of every answer.
    text = f"文件柜的钥匙号为{who.word()}。\n" * rng.choice([1, 1, 1, 40, 400])
    form: dict[str, Any] = {"data": {"thread_id": thread}, "files": {"file": (name, text.encode())}}
    at_once = rng.random() < 0.5
    headers = {"authorization": f"Bearer {who.token}", **({"prefer": "respond-async"} if at_once else {})}
    reply = await who.call("upload", "POST", f"{API}/documents", headers=headers, **form)
    if reply is None or not reply.is_success:
        return
    if reply.status_code == 201:
        who.documents.setdefault(thread, set()).add(name)
        return
    who.jobs.append(id := reply.json()["id"])
    if await who.job_end("upload", id) == "done":
        who.documents.setdefault(thread, set()).add(name)


def hostile_files() -> list[Hostile]:
    """Return the files that are cheap to make and to read."""
    return [one for one in hostile() if not any(part in one.label for part in TOO_SLOW)]


def upload_hostile(files: Sequence[Hostile]) -> Act:
    """Return the upload of a file that means harm."""

    async def act(who: Person, other: Person, rng: random.Random) -> None:
        file = rng.choice(files)
        data = await asyncio.to_thread(file.make)
        form: dict[str, Any] = {"data": {"thread_id": str(uuid4())}, "files": {"file": (file.filename, data)}}
        await who.call("upload of a hostile file", "POST", f"{API}/documents", **form)

    return act


async def remove_document(who: Person, other: Person, rng: random.Random) -> None:
    """Remove the documents of a thread."""
    if who.documents:
        thread = rng.choice(sorted(who.documents))
        names = who.documents.pop(thread)  # without an answer they may be there or not
        reply = await who.call("remove documents", "DELETE", f"{API}/documents", params={"thread_id": thread})
        if reply is not None and reply.is_success:
            left = await who.call("remove documents", "GET", f"{API}/documents", params={"thread_id": thread})
            rows = left.json()["items"] if left is not None and left.is_success else []
            back = names & {one["filename"] for one in rows}
            who.house.findings.require("remove documents", not back, f"removed documents are there: {back}")
        elif reply is not None:
            who.documents[thread] = names


async def read(who: Person, other: Person, rng: random.Random) -> None:
    """Read lists and exports of the user's own."""
    paths = [*OWN]
    for id in rng.sample(sorted(who.threads), min(2, len(who.threads))):
        below = ("", "/turns", "/turns/1/evidence", "/turns/1/record", "/export", "/export?format=markdown")
        paths += [f"/threads/{id}{rng.choice(below)}"]
    paths += [f"/traces/{one}" for one in who.traces[-2:]]
    for path in rng.sample(paths, 3):
        await who.call("read one's own", "GET", f"{API}{path}")
    await who.call("read one's own", "GET", f"{API}/memories/search", params={"q": "保险柜的口令"})


async def steal(who: Person, other: Person, rng: random.Random) -> None:
    """Try to read, change or delete what another user has, by its ids."""
    known = set(other.threads)
    thread = rng.choice(sorted(known) or [str(uuid4())])
    trace, key = rng.choice(other.traces[-9:] or ["x"]), rng.choice(sorted(other.memories) or ["x"])
    job, session = rng.choice(other.jobs[-9:] or ["x"]), rng.choice(sorted(other.documents) or [thread])
    search = {"query": "保险柜的口令", "user_id": other.name, "session_id": session}
    tries: list[tuple[str, str, dict[str, Any]]] = [
        ("GET", f"{API}/threads/{thread}", {}),
        ("GET", f"{API}/threads/{thread}/turns", {}),
        ("GET", f"{API}/threads/{thread}/export", {}),
        ("GET", f"{API}/threads/{thread}/turns/1/record", {}),
        ("PATCH", f"{API}/threads/{thread}", {"json": {"title": "mine"}}),
        ("DELETE", f"{API}/threads/{thread}", {}),
        ("POST", f"{API}/threads/{thread}/ask", {"json": {"question": "我的暗号是什么？", "library": "sample"}}),
        ("GET", f"{API}/traces/{trace}", {}),
        ("GET", f"{API}/traces?thread={thread}", {}),
        ("GET", f"{API}/memories/{key}", {}),
        ("PATCH", f"{API}/memories/{key}", {"json": {"content": "mine"}}),
        ("DELETE", f"{API}/memories/{key}", {}),
        ("GET", f"{API}/jobs/{job}", {}),
        ("DELETE", f"{API}/jobs/{job}", {}),
        ("DELETE", f"{API}/users/{other.name}", {}),
        ("GET", f"{API}/documents?thread_id={session}", {}),
        ("DELETE", f"{API}/documents?thread_id={session}", {}),
        ("POST", f"{API}/tools/search_memories", {"json": search}),
        ("POST", f"{API}/tools/keyword_search", {"json": {"keywords": "口令", "session_id": session}}),
        ("POST", f"{API}/tools/list_documents", {"json": {"session_id": session}}),
        ("POST", f"{API}/ask", {"json": {"question": "口令？", "user_id": other.name, "toolkits": ["memory"]}}),
        ("POST", "/v1/chat/completions", chat("我的暗号是什么？", thread, who.token)),
    ]
    for method, path, options in rng.sample(tries, 4):
        reply = await who.call("reach for another's", method, path, **options)
        is_named = any(part in path for part in ("/threads/", "/traces/", "/jobs/", "/users/")) and path[-1] != "x"
        if path.endswith("/ask"):  # an id that is not used, or no longer, begins a thread of one's own
            is_named = thread in known and thread in other.threads
            if not is_named and reply is not None and reply.is_success:
                who.begun.add(thread)
        if f"/threads/{thread}" in path and thread in who.begun:
            is_named = False
        if reply is not None and is_named and reply.is_success:
            who.house.findings.fault(
                "reach for another's", f"{method} {path}: {reply.status_code} {reply.text[:SHOWN]}"
            )


def chat(question: str, thread: str, token: str) -> dict[str, Any]:
    """Return a request of a chat client on a thread."""
    headers = {"authorization": f"Bearer {token}", "x-wenmai-thread": thread}
    return {"json": {"model": "sample", "messages": [{"role": "user", "content": question}]}, "headers": headers}


async def chat_client(who: Person, other: Person, rng: random.Random) -> None:
    """Ask by OpenAI's protocol; nothing of it is kept."""
    body = {"model": "sample", "messages": [{"role": "user", "content": rng.choice(QUESTIONS)}]}
    await who.call("chat client", "POST", "/v1/chat/completions", json=body)


async def delete_thread(who: Person, other: Person, rng: random.Random) -> None:
    """Delete a thread, half of the time while a question runs on it."""
    if not who.threads:
        return
    id = rng.choice(sorted(who.threads))
    turns, _ = who.threads.pop(id), who.documents.pop(id, None)
    who.changed.discard(id)
    of_thread = await traces_of(who, id)
    own = [trace for trace in who.traces if trace not in of_thread]
    delete = who.call("delete a thread", "DELETE", f"{API}/threads/{id}")
    if rng.random() < 0.5:
        reply = await delete
        if reply is not None and reply.is_success:
            who.gone.add(id)
            who.traces[:] = own
        elif reply is not None:
            who.threads[id] = turns
        else:
            who.traces[:] = own
        return
    question = f"{rng.choice(QUESTIONS)}暗号{who.word()}"
    body = {"question": question, "library": "sample"}
    asked = who.call("delete while asked", "POST", f"{API}/threads/{id}/ask", json=body)
    _, reply = await asyncio.gather(asked, delete)  # whichever came first: the thread may be there, with one turn
    who.traces[:] = own
    if reply is not None and not reply.is_success:
        who.threads[id] = turns


async def traces_of(who: Person, thread: str) -> list[str]:
    """Return the traces of a thread."""
    reply = await who.call("delete a thread", "GET", f"{API}/traces", params={"thread": thread, "limit": 500})
    return [one["id"] for one in reply.json()["items"]] if reply is not None and reply.is_success else []


USER_ACTS: tuple[tuple[int, Act], ...] = (
    (5, ask),
    (3, ask_watched),
    (2, ask_and_leave),
    (3, ask_for_own),
    (4, remember),
    (1, forget),
    (3, upload),
    (1, remove_document),
    (4, read),
    (4, steal),
    (1, chat_client),
    (2, delete_thread),
)


@dataclass(slots=True)
class Operator:
    """Who may administer: takes texts into libraries and deletes them while they are asked.

    Attributes:
        chapters: of libraries whose ingest was seen to end.
        wanted: libraries that were made and not deleted.
    """

    who: Person
    user: Person
    chapters: dict[str, int] = field(default_factory=dict)
    wanted: set[str] = field(default_factory=set)
    made: int = 0

    async def act(self, rng: random.Random) -> None:
        """Do one thing."""
        await rng.choice((self.ingest, self.ingest, self.delete, self.delete_while_asked, self.cancel, self.list))(rng)

    async def ingest(self, rng: random.Random) -> None:
        if len(self.wanted) >= 4:
            await self.delete(rng)
            return
        self.made += 1
        name, chapters = f"made{self.made}", rng.randint(2, 8)
        made = await self.who.call("ingest", "POST", f"{API}/libraries", json={"name": name, "title": name})
        if made is None or not made.is_success:
            return
        self.wanted.add(name)
        pages = [f"第{n}章\n\n" + "林舟走进灯塔，点亮了灯。苏晚亭站在海边等船。" * 30 for n in range(1, chapters + 1)]
        sent: dict[str, Any] = {"files": {"file": ("书.txt", "\n\n".join(pages).encode())}}
        job = await self.who.call("ingest", "POST", f"{API}/libraries/{name}/sources", **sent)
        if job is None or job.status_code != 202 or rng.random() >= 0.5:
            return
        if await self.who.job_end("ingest", job.json()["id"]) == "done":
            self.chapters[name] = chapters

    async def delete(self, rng: random.Random) -> None:
        if self.wanted:
            await self.remove(rng.choice(sorted(self.wanted)), "delete a library")

    async def delete_while_asked(self, rng: random.Random) -> None:
        """Delete a library while somebody asks it."""
        if self.wanted:
            name = rng.choice(sorted(self.wanted))
            body = {"question": "林舟是谁？", "library": name}
            asked = [self.user.call("ask while deleted", "POST", f"{API}/ask", json=body) for _ in range(2)]
            await asyncio.gather(*asked, self.remove(name, "delete a library while asked"))

    async def remove(self, name: str, kind: str) -> None:
        self.chapters.pop(name, None)
        reply = await self.who.call(kind, "DELETE", f"{API}/libraries/{name}")
        if reply is not None and (reply.is_success or reply.status_code == 404):
            self.wanted.discard(name)

    async def cancel(self, rng: random.Random) -> None:
        """Stop a job."""
        reply = await self.who.call("jobs", "GET", f"{API}/jobs")
        rows = reply.json()["items"] if reply is not None and reply.is_success else []
        if running := [one for one in rows if one["state"] == "running"]:
            job = rng.choice(running)
            self.chapters.pop(job["subject"], None)
            await self.who.call("stop a job", "DELETE", f"{API}/jobs/{job['id']}")

    async def list(self, rng: random.Random) -> None:
        """Look at everything that an administrator sees."""
        for path in ("/libraries", "/jobs", "/threads", "/traces", "/memories", "/documents?preloaded=true"):
            await self.who.call("operator looks", "GET", f"{API}{path}")
