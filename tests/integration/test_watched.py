"""A question watched through `wenmai serve` and on a terminal, with a model of either protocol and without one."""

import asyncio
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

import httpx
import psutil  # type: ignore[import-untyped]  # it ships no types
import pytest

from tests.gemini.fixtures import gemini_server
from tests.gemini.parts import as_json, call, text, thought
from tests.gemini.replies import turn
from tests.gemini.space import LOOPBACK_MODEL, Space
from tests.graph.talk import GRADER, REFINER, SHALLOW, grade
from tests.integration.live_server import LiveServer, environment
from tests.integration.own_server import API, serving
from tests.openai_service.fixtures import openai_server, service
from tests.openai_service.space import OpenAI
from tests.temporary import copied

pytestmark = pytest.mark.costly

__all__ = ["gemini_server", "openai_server", "service"]

QUESTION = "苏晚照和苏晚亭是什么关系？"
ASKED = {"question": QUESTION, "library": "sample"}
WRONG, THOUGHT = "两人从来不认识[E1]。", "再想一想"
DRAFT, ANSWER = "苏晚照的哥哥是苏晚亭[E1]。他是灯塔的守塔人[E1]。", "苏晚照的哥哥是苏晚亭[1]。他是灯塔的守塔人[1]。"
LAST = "他是灯塔的守塔人[1]。"
ERASED = "\x1b[2K"  # what a terminal is told to clear a line
GAP_S, FIRST_STEP_S = 0.1, 0.3
Seen = list[tuple[str, dict[str, Any], float]]


def variables(service: Space) -> dict[str, str]:
    """Return the settings that send every role to a service."""
    service.know(GRADER, REFINER)
    words = service.words
    roles = {f"{words.prefix}_MODEL": LOOPBACK_MODEL, "GRADER_MODEL": GRADER, "REFINER_MODEL": REFINER}
    return {words.key: service.key, words.address: service.url, **roles}


def script(service: Space) -> None:
    """Play a draft that fails and one that passes; each comes slowly."""
    service.piece = 4
    service.play(
        replace(turn(thought(THOUGHT), text(WRONG)), gap_s=GAP_S),
        call("search_memory", {"query": "苏晚亭 守塔人"}),
        replace(turn(text(DRAFT)), gap_s=GAP_S),
        model=LOOPBACK_MODEL,
    )
    service.play(grade(SHALLOW), grade(), model=GRADER)
    service.play(as_json(["苏晚亭 守塔人", "苏晚照 哥哥"]), model=REFINER)


async def streamed(url: str, clock: Callable[[], float] = monotonic, **more: Any) -> Seen:
    """Ask and return the events, each with its data and the seconds of a clock since the request."""
    seen: Seen = []
    begun, name = clock(), ""
    headers = {"accept": "text/event-stream"}
    async with (
        httpx.AsyncClient(base_url=f"{url}{API}", timeout=120) as http,
        http.stream("POST", "/ask", json={**ASKED, **more}, headers=headers) as reply,
    ):
        async for line in reply.aiter_lines():
            key, _, value = line.partition(": ")
            name = value if key == "event" else name
            if key == "data":
                seen.append((name, json.loads(value), clock() - begun))
    return seen


def said(seen: Seen, kind: str) -> str:
    """Return the text of all events of a kind."""
    return "".join(data["text"] for name, data, _ in seen if name == kind)


@pytest.fixture
def served(prepared: Path, tmp_path: Path, service: Space) -> Iterator[LiveServer]:
    with serving(copied(prepared, tmp_path / "served"), **variables(service)) as live:
        yield live


async def test_a_stream(served: LiveServer, service: Space) -> None:
    """LOP-19 PLA-33: by default thoughts and drafts as they are written, the failed one withdrawn, then the verdict."""
    script(service)
    seen = await streamed(served.url)
    service.assert_clean()
    names = [name for name, _, _ in seen]
    assert names[:2] == ["thread", "step"] and names[-4:] == ["citations", "verdict", "node", "answer"]
    assert said(seen, "thought") == THOUGHT and said(seen, "text") == ANSWER == seen[-1][1]["answer"]
    at = names.index("reset")
    assert said(seen[:at], "draft") == "两人从来不认识[1]。" and said(seen[at:], "draft") == ANSWER
    assert "深度不足" in seen[at][1]["text"]
    times = [when for name, _, when in seen[at:] if name == "draft"]
    assert times[-1] - times[0] > 2 * GAP_S
    shown = dict((name, data) for name, data, _ in seen)
    assert shown["citations"]["citations"][0]["quote"] and shown["verdict"]["passed"] is True


async def test_who_does_not_watch(served: LiveServer, service: Space) -> None:
    """LOP-19: JSON, and a stream that wants none, ask Gemini for whole replies; no draft is shown."""
    script(service)
    quiet = await streamed(served.url, stream_drafts=False)
    script(service)
    async with httpx.AsyncClient(base_url=f"{served.url}{API}", timeout=120) as http:
        whole = await http.post("/ask", json=ASKED)
    service.assert_clean()
    assert {"draft", "thought", "reset"}.isdisjoint(name for name, _, _ in quiet) and said(quiet, "text") == ANSWER
    assert whole.json()["answer"] == ANSWER
    own = "streamGenerateContent" if isinstance(service, OpenAI) else "generateContent"
    assert {one.method for one in service.history} == {own}


async def test_the_first_step_comes_at_once(prepared: Path, tmp_path: Path) -> None:
    """LOP-19: within 300 ms of the request, without a model; what was opened for an earlier question stays open.

    The processor time of the server is measured, which another program beside it does not lengthen.
    """

    def spent() -> float:
        times = server.cpu_times()
        return float(times.user + times.system)

    with serving(copied(prepared, tmp_path / "offline")) as live:
        server = psutil.Process(live.pid)
        turns = [await streamed(live.url, spent) for _ in range(4)]
    first = [next(when for name, _, when in seen if name == "step") for seen in turns]
    assert min(first) < FIRST_STEP_S, first
    assert [name for name, _, _ in turns[-1]][:2] == ["thread", "step"]


def on_terminal(folder: Path, command: list[str], typed: str, settings: dict[str, str]) -> str:
    """Run a command on a terminal of its own and return what it wrote."""
    master, slave = pty.openpty()
    env = {**environment(folder), **settings, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40"}
    process = subprocess.Popen(
        [sys.executable, "-m", "wenmai", *command], cwd=folder, env=env, stdin=slave, stdout=slave, stderr=slave
    )
    os.close(slave)
    os.write(master, typed.encode())
    written = b""
    with suppress(OSError):  # the terminal's end
        while piece := os.read(master, 4096):
            written += piece
    os.close(master)
    assert process.wait(60) == 0
    return written.decode()


@pytest.mark.parametrize("command", ["chat", "ask"])
async def test_a_terminal(prepared: Path, tmp_path: Path, service: Space, command: str) -> None:
    """LOP-19 S000-29: thoughts and draft at the foot while they are written; what stays is steps, answer, sources."""
    script(service)
    folder = copied(prepared, tmp_path / "terminal")
    words = ["chat", "--library", "sample"] if command == "chat" else ["ask", QUESTION, "--library", "sample"]
    typed = f"{QUESTION}\n/quit\n" if command == "chat" else ""
    shown = await asyncio.to_thread(on_terminal, folder, words, typed, variables(service))
    service.assert_clean()
    assert THOUGHT in shown and "两人从来不认识[1]。" in shown and "思考" in shown and "起草" in shown
    assert "[E1]" not in shown and ERASED not in shown[shown.rindex(LAST) :], shown[-2000:]
    assert "这一稿未通过：深度不足" in shown
    assert f'[轮 0] search_memory("{QUESTION}")' in shown and '[轮 1] search_memory("苏晚亭 守塔人")' in shown


async def test_a_pipe(prepared: Path, tmp_path: Path, service: Space) -> None:
    """LOP-19: plain lines, and of the text only what was checked."""
    script(service)
    folder = copied(prepared, tmp_path / "pipe")
    command = [sys.executable, "-m", "wenmai", "chat", "--library", "sample"]
    done = await asyncio.to_thread(
        subprocess.run,
        command,
        cwd=folder,
        env={**environment(folder), **variables(service)},
        input=QUESTION.encode(),
        capture_output=True,
        check=True,
    )
    service.assert_clean()
    shown = done.stdout.decode()
    assert ANSWER in shown and "不认识" not in shown and THOUGHT not in shown and "\x1b" not in shown
