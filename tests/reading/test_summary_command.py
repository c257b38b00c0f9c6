"""Summaries on the command line: estimated, made within a budget, shown up to the guard, killed and gone on with."""

import re
import signal
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.summary_costs import BookModel, Place, is_good, measured
from tests.gemini.server import Server
from tests.gemini.space import Gemini
from tests.reading.scripted import STORY, ScriptedReader
from tests.reading.test_command import SECONDS, run, start
from tests.reading.world import LIBRARY
from wenmai.cli import INTERRUPTED

INGEST = ("ingest", str(STORY), "-l", LIBRARY, "--aliases", str(STORY.parent / "aliases.json"))
WRITTEN: dict[str, Any] = {"INGEST_SUMMARIES": "true", "USE_READER": "false"}
CALLS = re.compile(r"摘要：(\d+) 次调用，输入约 (\d+) token，输出约 (\d+) token")


def test_a_budget_a_guard_and_a_second_run(tmp_path: Path, gemini: Gemini) -> None:
    """STO-97 STO-99: the estimate says the calls, a budget ends them, the next run makes the rest, a guard hides."""
    gemini.answer(ScriptedReader())
    estimate = CALLS.search(run(gemini, tmp_path, "ingest", str(STORY), "-l", LIBRARY, "--estimate", **WRITTEN))
    assert estimate and run(gemini, tmp_path, "ingest", str(STORY), "-l", LIBRARY, "--estimate").count("摘要") == 0
    assert gemini.generated == []

    part = run(gemini, tmp_path, *INGEST, "--summaries", "--budget", "20k", **WRITTEN)
    left = re.search(r"预算用完：还有 (\d+) 份摘要没有写", part)
    begun = len(gemini.generated)
    assert left and 0 < begun < int(estimate[1])
    whole = run(gemini, tmp_path, *INGEST, "--summaries", **WRITTEN)
    assert "预算" not in whole and "摘要和人物描述：" in whole
    asked = [one.prompt for one in gemini.generated]
    assert len(set(asked)) == len(asked) == pytest.approx(int(estimate[1]), abs=2)
    assert f"{len(asked) - begun} 次调用" in whole and f"另有 {begun} 份回答沿用以前保存的" in whole

    early = run(gemini, tmp_path, "entities", "show", "沈观潮", "-l", LIBRARY, "--as-of-chapter", "2")
    late = run(gemini, tmp_path, "entities", "show", "沈观潮", "-l", LIBRARY)
    assert "截至第 1 部第 2 章" in early and "截至第 1 部第 2 章" not in late and "（由模型写成" in late
    assert {one for one in early.splitlines() if one.startswith("- ")}


def test_what_cannot_be_a_budget(tmp_path: Path, gemini: Gemini) -> None:
    """STO-99: a budget that is none, or in money without a price, is refused before anything is sent."""
    for budget, prices, said in (("much", "{}", "看不懂的预算"), ("2.50", "{}", "不知道模型")):
        error = run(
            gemini, tmp_path, *INGEST, "--summaries", "--budget", budget, code=2, MODEL_PRICES=prices, **WRITTEN
        )
        assert said in error.splitlines()[-1] and "Traceback" not in error
    assert gemini.generated == []


def test_ctrl_c_keeps_the_answers_under_way(tmp_path: Path, gemini: Gemini) -> None:
    """STO-99: an interrupted ingest waits for the calls that it has begun, and says so; none of them comes again."""
    script = ScriptedReader()
    gemini.answer(lambda request: replace(script(request), delay_s=0.5))
    process = start(gemini, tmp_path, *INGEST, "--summaries", **WRITTEN)
    end = time.monotonic() + SECONDS
    while len(gemini.generated) < 4 and process.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=SECONDS)
    assert process.returncode == INTERRUPTED and "正在等待已发出的请求" in error
    begun = len(gemini.generated)
    gemini.queues.clear()
    gemini.answer(script)
    out = run(gemini, tmp_path, *INGEST, "--summaries", **WRITTEN)
    assert f"另有 {begun} 份回答沿用以前保存的" in out
    asked = [one.prompt for one in gemini.generated]
    assert len(set(asked)) == len(asked)


@pytest.mark.costly
def test_killed_three_times_nothing_is_asked_twice(tmp_path: Path) -> None:
    """STO-99 PLA-05: killed while it reads and while it writes, it asks for nothing again, and costs the estimate."""
    server = Server(keep_alive=True).start()
    space, model = server.open(), BookModel()
    space.answer(model)
    source = tmp_path / "novel.txt"
    source.write_text(STORY.read_text("utf-8"), encoding="utf-8")
    found = measured(Place(tmp_path, source, space.url, space.key), model, kills=3)
    server.stop()
    assert is_good(found), found
    assert found["after an edit"]["calls"] < found["estimate"]["summaries"]["calls"] / 2
