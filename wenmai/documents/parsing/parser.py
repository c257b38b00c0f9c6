"""Has a file read in a process of its own: whatever the file does to it, this one goes on."""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Timer
from typing import Any

from tools.documents.records import Location
from tools.errors import IngestError
from tools.messages import LANGUAGE, Message, Text
from wenmai.documents.parsing.kinds import refusal
from wenmai.formats.blocks import Unreadable, require_format

CHILD = "wenmai.documents.parsing.child"
SECONDS = 120.0
REPLY_BYTES = 32 * 2**20
LAST_SECONDS = 1.0
AT_A_TIME = 3  # processes; others wait
# The child gets no other variable: no key, no address.
PASSED = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "VIRTUAL_ENV")
QUIET = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONUTF8": "1", "LANGSMITH_TRACING": "false"}
OUT_OF_TIME = -24  # SIGXCPU, of the child's own limit
OUT_OF_MEMORY = "MemoryError"
TOO_DEEP = "RecursionError"


@dataclass(frozen=True, slots=True)
class Parsed:
    """What was read of a file: half-open offsets of its chunks in `text`, with their places; what could not be read."""

    mime_type: str
    text: str
    chunks: list[tuple[int, int, Location]]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Parser:
    """Reads files; `size` and `overlap` are those of the chunks, in characters."""

    size: int
    overlap: int
    seconds: float = SECONDS
    _threads: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(AT_A_TIME, "parse"))

    def close(self) -> None:
        """Stop the threads; what is being read is read to its end."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def __call__(self, filename: str, data: bytes) -> Parsed:
        """Return the text of a file. Raises IngestError: what is wrong with it, and what to do."""
        known = copy_context()  # of the language
        running = asyncio.get_running_loop()
        return await running.run_in_executor(self._threads, lambda: known.run(self.parse, filename, data))

    async def picture(self, filename: str, data: bytes, page: int) -> bytes | None:
        """Return a page of a PDF as a JPEG, None where it has no such page. Raises IngestError."""
        known = copy_context()
        running = asyncio.get_running_loop()
        drawn = await running.run_in_executor(self._threads, lambda: known.run(self._drawn, filename, data, page))
        return b64decode(drawn["picture"]) if drawn["picture"] else None

    def parse(self, filename: str, data: bytes) -> Parsed:
        """Read a file; blocks until it is read or given up."""
        answer = self._answered(filename, data, [filename, self.size, self.overlap, LANGUAGE.get()])
        chunks = [(start, end, Location.from_plain(place)) for start, end, place in answer["chunks"]]
        return Parsed(answer["mime_type"], answer["text"], chunks, tuple(answer["warnings"]))

    def _drawn(self, filename: str, data: bytes, page: int) -> dict[str, Any]:
        try:
            require_format("office", "PDF")  # it was there when the file came
        except Unreadable as error:
            raise refusal(filename, error.reason, error.remedy) from error
        return self._answered(filename, data, [filename, page])

    def _answered(self, filename: str, data: bytes, order: list[Any]) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = json.loads(self._answer(filename, data, order))
        except ValueError as error:  # killed before it had answered
            raise failure_of(filename, "") from error
        if "error" in answer:
            raise IngestError(answer["error"])
        if "failure" in answer:
            raise failure_of(filename, answer["failure"])
        return answer

    def _answer(self, filename: str, data: bytes, order: list[Any]) -> bytes:
        command = [sys.executable, "-P", "-m", CHILD, json.dumps(order)]
        with tempfile.TemporaryFile() as file:
            file.write(data)
            file.seek(0)
            process = subprocess.Popen(
                command, stdin=file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment()
            )
            late = Event()

            def end_late() -> None:
                late.set()
                process.kill()

            timer = Timer(self.seconds, end_late)
            timer.start()
            try:
                reply = process.stdout.read(REPLY_BYTES + 1) if process.stdout else b""
            finally:
                timer.cancel()
                end(process)
                if process.stdout:
                    process.stdout.close()
        if late.is_set() or process.returncode == OUT_OF_TIME:
            raise IngestError(Message("document.reading_timed_out", name=filename, seconds=self.seconds))
        if len(reply) > REPLY_BYTES:
            raise IngestError(Message("document.text_too_large", name=filename, most=REPLY_BYTES >> 20))
        return reply


def end(process: subprocess.Popen[bytes]) -> None:
    """Wait for a process that has answered or was given up; kill it if it goes on."""
    try:
        process.wait(LAST_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def failure_of(filename: str, kind: str) -> IngestError:
    """Return the error for a process that ended without an answer, or with the kind of its failure."""
    if kind == OUT_OF_MEMORY:
        return IngestError(Message("document.needs_too_much_memory", name=filename))
    if kind == TOO_DEEP:
        return IngestError(Message("document.nested_too_deep", name=filename))
    reason: Text = Message("document.kind_of_damage", kind=kind) if kind else Message("document.or_unpacks_too_large")
    return IngestError(Message("document.damaged_or_irregular", name=filename, reason=reason))


def environment() -> dict[str, str]:
    """Return the variables of the child; it finds the modules of this process."""
    here = str(Path(__file__).parents[3])
    path = os.pathsep.join(filter(None, [here, os.environ.get("PYTHONPATH")]))
    kept = {name: os.environ[name] for name in PASSED if name in os.environ}
    return {**kept, **QUIET, "PYTHONPATH": path}
