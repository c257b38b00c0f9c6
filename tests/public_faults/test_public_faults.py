"""Every row of public_faults.jsonl gives what it calls right, and so do three more inputs of each kind."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.docs.conftest import demo_data
from tests.integration.cli_story import Cli
from tests.public_faults import chapters, files, stories
from tests.public_faults.running import Case, perform
from tests.public_faults.sample import ON_SAMPLE
from wenmai.agent import open_agent
from wenmai.stores.files.folder import HOLDER_FILE

__all__ = ["demo_data"]

ROWS = [json.loads(line) for line in Path(__file__).with_name("public_faults.jsonl").read_text("utf-8").splitlines()]
CASES = (*chapters.CASES, *files.CASES, *stories.CASES)
BY_HAND = "c24"
"""The row whose inputs are written out below."""
LEAST, USUAL = 4, 2
"""Inputs of each kind: that of the row, and three more; and how many of them the usual run tries."""


def tried(cases: Sequence[Case]) -> list[Any]:
    """Return each case as a parameter, the later ones of its kind as costly."""
    seen, found = Counter[str](), []
    for case in cases:
        seen[case.fault] += 1
        marks = [pytest.mark.costly] if seen[case.fault] > USUAL else []
        found.append(pytest.param(case, id=str(case), marks=marks))
    return found


@pytest.mark.parametrize("case", tried(CASES))
def test_an_input(case: Case, tmp_path: Path) -> None:
    perform(case, Cli(tmp_path))


@pytest.mark.parametrize("case", tried(ON_SAMPLE))
def test_the_sample(case: Case, tmp_path: Path, demo_data: Path) -> None:
    perform(case, Cli(tmp_path), DATA_DIR=str(demo_data))


def test_every_kind_has_its_inputs() -> None:
    counts = Counter(case.fault for case in (*CASES, *ON_SAMPLE))
    assert {row["id"] for row in ROWS} == {*counts, BY_HAND}
    assert [fault for fault, count in counts.items() if count < LEAST] == []


QUESTIONS = ("陆听雪今年多大？", "石敢是谁？", "铜罗盘的盖子里刻着哪几个字？")
TOLD = ("二十二", "石敢", "雾散即归")


async def test_questions_at_once_on_one_thread_are_all_answered_and_kept(tmp_path: Path, demo_data: Path) -> None:
    async with open_agent(data_dir=demo_data, trace_dir=tmp_path) as agent:
        asked = (agent.ask(question, library="sample", thread_id="c24") for question in QUESTIONS)
        answers = await asyncio.gather(*asked)
        assert all(told in answer.text for told, answer in zip(TOLD, answers, strict=True))
        state = await agent.graph.aget_state({"configurable": {"thread_id": "c24"}})
    said = [message.text for message in state.values["messages"]]
    assert sorted(said[0::2]) == sorted(QUESTIONS) and len(said) == 2 * len(QUESTIONS)


async def test_questions_at_once_on_threads_of_their_own_stay_apart(tmp_path: Path, demo_data: Path) -> None:
    async with open_agent(data_dir=demo_data, trace_dir=tmp_path) as agent:
        asked = [agent.ask(one, library="sample", thread_id=f"c24-{one}") for one in QUESTIONS]
        await asyncio.gather(*asked)
        for question in QUESTIONS:
            state = await agent.graph.aget_state({"configurable": {"thread_id": f"c24-{question}"}})
            assert [message.text for message in state.values["messages"]][0::2] == [question]


@pytest.mark.costly
def test_another_library_is_read_while_one_is_written(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    (tmp_path / "a.txt").write_text(chapters.book("第一章 a", "第二章 b"), "utf-8")
    many = (f"第{at}章 c" for at in range(1, 1_000))  # they take longer than both questions
    (tmp_path / "long.txt").write_text(chapters.book(*many), "utf-8")
    assert cli.run("ingest", "a.txt", "--library", "a").returncode == 0
    with cli.start("ingest", "long.txt", "--library", "long") as writing:
        try:
            while not (tmp_path / ".wenmai" / "long" / HOLDER_FILE).exists():  # the text is read before it is made
                assert writing.poll() is None
                time.sleep(0.1)
            done = cli.spawn("ask", "周屿在雨里捡到了什么？", "--library", "a")
            assert writing.poll() is None and done.returncode == 0 and "木匣" in done.stdout
            busy = cli.spawn("ask", "周屿在雨里捡到了什么？", "--library", "long")
            assert writing.poll() is None and busy.returncode != 0 and str(writing.pid) in busy.stderr
        finally:
            writing.kill()
