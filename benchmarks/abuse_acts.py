"""What is done to an abused server from outside: users at work and at others' things, an operator, raw connections."""

import asyncio
import json
import random
import socket
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from benchmarks.abuse_house import BODY_SECONDS, CUT_OFF, SHOWN, Findings, House, Person, explains
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
MEGABYTE = 2**20


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
    question = f"保险柜的口令是什么？{rng.randrange(1000)}"
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
    text = f"保险柜的口令是{who.word()}。\n" * rng.choice([1, 1, 1, 40, 400])
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
        if path.endswith("/ask"):  # an id that is not used begins a thread of one's own
            is_named = thread in known and thread in other.threads
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


def wire(head: str, body: bytes = b"") -> bytes:
    return head.replace("\n", "\r\n").encode("utf-8", "surrogateescape") + body


def post(path: str, token: str, body: bytes, *more: str, kind: str = "application/json") -> bytes:
    """Return a POST as it goes over the wire; `more` headers in place of the body's length."""
    lines = [f"POST {path} HTTP/1.1", "host: 127.0.0.1", f"authorization: Bearer {token}", f"content-type: {kind}"]
    return wire("\n".join([*lines, *(more or (f"content-length: {len(body)}",)), "", ""]), body)


def questions(rng: random.Random) -> bytes:
    """Return a body that is no question."""
    deep = b"[" * 200_000 + b"]" * 200_000
    wrong: tuple[bytes, ...] = (
        deep,
        b'{"question": ' + deep + b"}",
        b'{"question": "\\ud800"}',
        b'{"question": "\xff\xfe"}',
        b'{"question": "a\\u0000b", "library": "sample"}',
        b'{"question": 1e999, "library": "sample"}',
        b'{"question": "x", "as_of_chapter": 9223372036854775808, "library": "sample"}',
        b'{"question": "x", "as_of_chapter": NaN}',
        b'{"question": "x", "question": "y"}',
        b'{"question": "x", "library": "../../etc"}',
        b'{"question": "x", "deadline_s": -1, "library": "sample"}',
        b'{"question": "' + b"A" * 900_000 + b'"}',
        b"",
        b"null",
        rng.randbytes(5_000),
    )
    return rng.choice(wrong)


def form(rng: random.Random) -> bytes:
    """Return a body that is no upload."""
    part = b'--b\r\ncontent-disposition: form-data; name="%b"%b\r\n\r\n%b\r\n'
    named = b'; filename="%b"'
    wrong: tuple[bytes, ...] = (
        b"",
        b"--b--",
        part % (b"file", named % b"", b"x") + b"--b--\r\n",
        part % (b"file", named % b"../../../etc/passwd", b"x") + b"--b--\r\n",
        part % (b"file", named % b"a\x00b.txt", b"x"),
        b"".join(part % (b"f%d" % n, b"", b"x") for n in range(2_000)) + b"--b--\r\n",
        part % (b"file", named % b"a.txt", b"x") * 30 + b"--b--\r\n",
        part % (b"thread_id", b"", b"x" * 300_000) + b"--b--\r\n",
        rng.randbytes(20_000),
    )
    return rng.choice(wrong)


@dataclass(frozen=True, slots=True)
class Attack:
    """What is sent over a connection: pieces with pauses between; what ends it is the server, or `leaves` after all."""

    kind: str
    pieces: Callable[[random.Random, str], Iterator[bytes]]
    pause_s: float = 0.0
    leaves: bool = False


def endless_head(rng: random.Random, token: str) -> Iterator[bytes]:
    yield b"GET /health HTTP/1.1\r\nhost: x\r\n"
    for n in range(8):
        yield b"x-%d: " % n + b"a" * rng.choice([2_000, MEGABYTE]) + b"\r\n"


def many_lines(rng: random.Random, token: str) -> Iterator[bytes]:
    yield b"GET /health HTTP/1.1\r\n" + b"".join(b"a%d: b\r\n" % n for n in range(rng.choice([90, 5_000]))) + b"\r\n"


def broken_head(rng: random.Random, token: str) -> Iterator[bytes]:
    heads: tuple[bytes, ...] = (
        rng.randbytes(3_000),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + rng.randbytes(400),
        b"GET\r\n\r\n",
        b"GET /health HTTP/9.9\r\nhost: x\r\n\r\n",
        b"\x00 / HTTP/1.1\r\n\r\n",
        b"GET /%ff%00%zz HTTP/1.1\r\nhost: x\r\n\r\n",
        b"GET /health HTTP/1.1\r\nhost: x\r\ncontent-length: -5\r\n\r\n",
        b"POST /api/v1/ask HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\nzzz\r\n",
        b"GET /health HTTP/1.1\r\nhost : x\r\n folded\r\n\r\n",
        b"CONNECT 127.0.0.1:22 HTTP/1.1\r\nhost: x\r\n\r\n",
        b"GET /api/v1/me HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \xff\xfe\r\n\r\n",
        b"GET /api/v1/me HTTP/1.1\r\nhost: x\r\nauthorization: Bearer " + token.encode()[:-1] + b"\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /mcp HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n",
        b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n" * 50,
    )
    yield rng.choice(heads)


def slow_head(rng: random.Random, token: str) -> Iterator[bytes]:
    for letter in b"GET /health HTTP/1.1\r\nx-slow: " + b"a" * 200:
        yield bytes([letter])


def half_request(rng: random.Random, token: str) -> Iterator[bytes]:
    whole = post(f"{API}/ask", token, json.dumps({"question": QUESTIONS[0], "library": "sample"}).encode())
    yield whole[: rng.randrange(1, len(whole))]


def half_upload(rng: random.Random, token: str) -> Iterator[bytes]:
    kind = "multipart/form-data; boundary=b"
    body = b'--b\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\n' + b"x" * 200_000
    yield post(f"{API}/documents", token, body[: rng.randrange(len(body))], "content-length: 9000000", kind=kind)


def huge_body(rng: random.Random, token: str) -> Iterator[bytes]:
    path = rng.choice(["ask", "memories", "documents", "tools/ask", "memories/import"])
    yield post(f"{API}/{path}", token, b"", f"content-length: {20 * MEGABYTE}")
    for _ in range(20):
        yield b" " * MEGABYTE


def endless_chunks(rng: random.Random, token: str) -> Iterator[bytes]:
    yield post(f"{API}/{rng.choice(['ask', 'memories'])}", token, b"", "transfer-encoding: chunked")
    for _ in range(20):
        yield b"80000\r\n" + b" " * 0x80000 + b"\r\n"


def broken_chunks(rng: random.Random, token: str) -> Iterator[bytes]:
    yield post(f"{API}/ask", token, b"", "transfer-encoding: chunked")
    yield rng.choice([b"zz\r\n", b"-1\r\n\r\n", b"5\r\nabcdefgh", b"fffffffffffffffff\r\n", rng.randbytes(100)])


def broken_body(rng: random.Random, token: str) -> Iterator[bytes]:
    path = rng.choice(["ask", "memories", "memories/import", "tools/search_memory", "libraries"])
    yield post(f"{API}/{path}", token, questions(rng))


def broken_form(rng: random.Random, token: str) -> Iterator[bytes]:
    kind = rng.choice(["multipart/form-data; boundary=b", "multipart/form-data", "multipart/form-data; boundary="])
    yield post(f"{API}/documents", token, form(rng), kind=kind)


def slow_body(rng: random.Random, token: str) -> Iterator[bytes]:
    yield post(f"{API}/{rng.choice(['ask', 'memories'])}", token, b"", "content-length: 100000")
    for _ in range(200):
        yield b" "


ATTACKS = (
    Attack("head of megabytes", endless_head),
    Attack("many header lines", many_lines),
    Attack("broken head", broken_head),
    Attack("slow head", slow_head, pause_s=0.2),
    Attack("half a request, then silence", half_request),
    Attack("half a request, then gone", half_request, leaves=True),
    Attack("half an upload, then gone", half_upload, leaves=True),
    Attack("body of 20 MB", huge_body),
    Attack("endless chunks", endless_chunks),
    Attack("broken chunks", broken_chunks),
    Attack("broken body", broken_body),
    Attack("broken form", broken_form),
    Attack("slow body", slow_body, pause_s=0.2),
)
LONGEST_S = 10 * BODY_SECONDS + 30  # an upload has ten times as many seconds for its body


async def attack(house: House, one: Attack, rng: random.Random, token: str, address: str) -> None:
    """Make an attack from an address of its own and note what came of it."""
    findings = house.findings
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", house.port, local_addr=(address, 0))
    except OSError:
        findings.note(one.kind, CUT_OFF)
        return
    if one.leaves:
        sock: socket.socket = writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # with a reset
    reply = b""
    try:
        async with asyncio.timeout(LONGEST_S):
            reading = asyncio.ensure_future(everything(reader))
            await sent(writer, one.pieces(rng, token), one.pause_s, reading)
            if one.leaves:
                reading.cancel()
                outcome = "left"
            else:
                reply = await reading
                outcome = status_of(reply)
    except TimeoutError:
        outcome = "still open"
        findings.fault(one.kind, f"the connection is open after {LONGEST_S:g} s")
    finally:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()
    findings.note(one.kind, outcome)
    look_at(findings, one.kind, outcome, reply)


async def sent(
    writer: asyncio.StreamWriter, pieces: Iterable[bytes], pause_s: float, reading: "asyncio.Future[bytes]"
) -> None:
    """Send pieces as long as the server takes them."""
    with suppress(OSError):
        for piece in pieces:
            if reading.done():
                return
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause_s)


async def everything(reader: asyncio.StreamReader) -> bytes:
    """Return what the server sends until it ends the connection."""
    found = bytearray()
    with suppress(OSError):
        while piece := await reader.read(65_536):
            found += piece[: MEGABYTE - len(found)]
    return bytes(found)


def status_of(reply: bytes) -> str:
    """Return the last status of an answer, 'closed' where there was none."""
    lines = [line for line in reply.split(b"\r\n") if line.startswith(b"HTTP/1.1 ")]
    return lines[-1][9:12].decode(errors="replace") if lines else "closed"


def look_at(findings: Findings, kind: str, status: str, reply: bytes) -> None:
    findings.counts["answers"] += 1
    findings.require(kind, b"HTTP/1.1 500" not in reply, f"500: {reply[-SHOWN:]!r}")
    if status.startswith(("4", "5")) and b"transfer-encoding: chunked" not in reply:
        body = reply.rpartition(b"\r\n\r\n")[2].decode(errors="replace")
        findings.require(kind, explains(body), f"{status} without a line: {reply[-SHOWN:]!r}")


async def many_connections(house: House, rng: random.Random, address: str) -> None:
    """Open more connections than one address may have, say nothing, and close them after a while."""
    opened: list[asyncio.StreamWriter] = []
    statuses: list[str] = []

    async def one() -> None:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", house.port, local_addr=(address, 0))
            opened.append(writer)
            with suppress(TimeoutError):
                async with asyncio.timeout(2):
                    statuses.append(status_of(await everything(reader)))

    await asyncio.gather(*(one() for _ in range(rng.choice([120, 200]))))
    for writer in opened:
        writer.close()
    house.findings.note("200 connections of one address", f"{statuses.count('429')} refused")
