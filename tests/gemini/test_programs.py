"""Recordings, answers in a folder, and the service as a program."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.gemini import fault
from tests.gemini.ask import QUESTION, answer, asking, first, post
from tests.gemini.folder import Folder
from tests.gemini.notation import step_of
from tests.gemini.parts import Json, call, text
from tests.gemini.recording import Recorder, Replay
from tests.gemini.replies import turn
from tests.gemini.server import Server
from tests.gemini.space import LOOPBACK_MODEL, Gemini

ROOT = Path(__file__).parents[2]


def converse(space: Gemini) -> list[Json]:
    """Lead a conversation of two turns, the second with the model's own content in it."""
    asked = first(post(space, asking()))
    answered = {"role": "user", "parts": [answer("search_memory")]}
    return [asked, first(post(space, {"contents": [QUESTION, asked, answered]}))]


def test_replay(gemini: Gemini, gemini_server: Server, tmp_path: Path) -> None:
    """A recorded conversation is answered again, signatures and faults included."""
    file = tmp_path / "recording.jsonl"
    gemini.recorder = Recorder(file)
    gemini.play(turn(text("先查"), call("search_memory", {"query": "少女"})), text("好"), fault.quota(3))
    heard = converse(gemini)
    assert post(gemini, asking()).status_code == 429
    again = gemini_server.open()
    again.answer(Replay.of(file))
    assert converse(again) == heard
    assert post(again, asking()).status_code == 429
    assert gemini.key not in file.read_text(encoding="utf-8")


def test_replay_of_another_conversation(gemini: Gemini, gemini_server: Server, tmp_path: Path) -> None:
    """An exact replay refuses a request that was not recorded, a loose one answers it."""
    gemini.recorder = Recorder(tmp_path / "recording.jsonl")
    gemini.play(text("好"))
    post(gemini, asking())
    again = gemini_server.open()
    replay = Replay.of(tmp_path / "recording.jsonl")
    again.answer(replay)
    changed = asking(systemInstruction={"parts": [{"text": "x"}]})
    message = post(again, changed).json()["error"]["message"]
    assert message == "loopback: the recording has no answer for request 1: ['systemInstruction'] differ"
    replay.exact = False
    assert post(again, changed).status_code == 200
    assert "no request of this method is left" in post(again, changed).json()["error"]["message"]


def play_by_hand(folder: Path, replies: list[str]) -> None:
    """Answer as another program would: wait for each request, write half, then the whole answer."""
    for number, reply in enumerate(replies, 1):
        while not (folder / f"request-{number:04}.json").exists():
            time.sleep(0.01)
        target = folder / f"response-{number:04}.json"
        target.write_text(reply[: len(reply) // 2], encoding="utf-8")
        time.sleep(0.1)
        target.write_text(reply, encoding="utf-8")


def test_folder(gemini: Gemini, tmp_path: Path) -> None:
    """Another program plays the model over files."""
    gemini.answer(Folder(tmp_path / "model"))
    replies = ['{"text": "先查", "calls": [{"name": "search_memory", "args": {"query": "少女"}}]}', '{"text": "好"}']
    player = threading.Thread(target=play_by_hand, args=(tmp_path / "model", replies))
    player.start()
    asked, last = converse(gemini)
    player.join(120)
    assert asked["parts"][1]["functionCall"]["args"] == {"query": "少女"}
    assert last["parts"][0]["text"] == "好"
    request = json.loads((tmp_path / "model" / "request-0001.json").read_text(encoding="utf-8"))
    assert request.pop("seen")["contents"] == asking()["contents"]
    assert request == {"method": "generateContent", "model": LOOPBACK_MODEL, "body": asking()}
    assert Folder(tmp_path / "model").number == 2  # the next run goes on


def test_folder_without_an_answer(gemini: Gemini, tmp_path: Path) -> None:
    """Nobody answers: the service says which file it waited for."""
    gemini.answer(Folder(tmp_path, wait_s=0.1))
    response = post(gemini, asking())
    assert response.status_code == 504
    assert "nobody wrote response-0001.json" in response.json()["error"]["message"]


NOTED: dict[str, tuple[Json, int, str]] = {
    "text": ({"text": "好"}, 200, '"text": "好"'),
    "json": ({"json": {"score": 78}}, 200, '{\\"score\\": 78}'),
    "thought": ({"thought": "想", "text": "好"}, 200, '"thought": true'),
    "finish": ({"finish": "SAFETY"}, 200, '"finishReason": "SAFETY"'),
    "status": ({"status": 503}, 503, "overloaded"),
    "quota": ({"quota": 2}, 429, '"retryDelay": "2s"'),
    "whole": ({"candidates": []}, 200, '"candidates": []'),
    "error": ({"error": {"code": 418, "message": "茶"}}, 418, "茶"),
}


@pytest.mark.parametrize(("data", "status", "shown"), NOTED.values(), ids=NOTED)
def test_notation(data: Json, status: int, shown: str) -> None:
    """Every word of the notation means its step."""
    reply = step_of(data)
    assert reply.status == status
    assert shown in json.dumps(reply.body, ensure_ascii=False)


def test_notation_has_no_other_words() -> None:
    """A misspelt step is an error, not an empty answer."""
    with pytest.raises(ValueError, match="got also"):
        step_of({"txet": "好"})


@contextmanager
def program(*options: str) -> Iterator[str]:
    """Run the service as a program; give its address."""
    command = [sys.executable, "-m", "tests.gemini", "--port", "0", "--key", "hand", *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=120)
    assert process.returncode == 0


def test_program(tmp_path: Path) -> None:
    """The program plays a script by model id, records it, and replays what it recorded."""
    script, record = tmp_path / "script.json", tmp_path / "record.jsonl"
    script.write_text(json.dumps({"*": [{"text": "甲"}], "gemini-99-grader": [{"json": {"score": 1}}]}))
    with program("--script", str(script), "--model", "gemini-99-grader", "--record", str(record)) as address:
        space = Gemini(address, "hand")
        assert address.startswith("http://127.0.0.1:")
        assert first(post(space, asking(), model="gemini-99-grader"))["parts"][0]["text"] == '{"score": 1}'
        assert first(post(space, asking()))["parts"][0]["text"] == "甲"
    with program("--replay", str(record)) as address:
        assert first(post(Gemini(address, "hand"), asking()))["parts"][0]["text"] == "甲"
    with pytest.raises(httpx.ConnectError):
        post(space, asking())
