"""Experiments in LangSmith: data set from JSON lines, `aevaluate` with the product's own measures, seen from there."""

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import langsmith
import pytest

from tests.langsmith_service.records import Json
from tests.langsmith_service.server import LangSmithServer
from tests.smith.conftest import KEY
from tests.unit.test_experiments_runner import QUESTIONS, SESSION, ScriptedAgent
from tools.errors import InputError
from wenmai.cli.commands.experiment import client_for
from wenmai.experiments.questions import ExpectedTalk, load_questions, load_sessions
from wenmai.experiments.tracking import evaluate
from wenmai.settings.settings import Settings, load_settings

SECONDS = 60.0


@pytest.fixture
def settings(smith: LangSmithServer) -> Iterator[Settings]:
    """Settings of an experiment."""
    yield load_settings(langsmith_endpoint=smith.url, langsmith_api_key=KEY)
    langsmith.configure(client=None, enabled=None, project_name=None)


def conversations(folder: Path) -> list[ExpectedTalk]:
    """Read two questions and a session of two turns from files."""
    for name, rows in (("q.jsonl", QUESTIONS), ("s.jsonl", [SESSION])):
        text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        (folder / name).write_text(text, encoding="utf-8")
    return [*load_questions(folder / "q.jsonl"), *load_sessions(folder / "s.jsonl")]


async def uploaded(folder: Path, settings: Settings) -> str:
    """Run the experiment and return its name in LangSmith."""
    client = client_for(settings)
    asked: Any = {"library": "river"}
    name, outcomes = await evaluate(ScriptedAgent(), "river", conversations(folder), {}, context=asked, client=client)
    client.flush(20)
    assert [outcome.turn.id for outcome in outcomes] == ["q1", "q2", "s1.1", "s1.2"]
    return name


async def test_an_uploaded_experiment(tmp_path: Path, smith: LangSmithServer, settings: Settings) -> None:
    """S003-23: the data set holds the rows, the experiment a run for each with the measures as feedback."""
    name = await uploaded(tmp_path, settings)
    records = smith.records
    assert records.unknown == [] and records.keys == {KEY}
    (dataset,) = records.datasets.values()
    assert dataset["name"] == "wenmai-river" and len(records.examples) == 3
    kept = {row["inputs"]["id"]: row for row in records.examples.values()}
    assert kept["s1"]["inputs"]["questions"] == ["石敢是谁？", "他多大？"]
    assert kept["q1"]["outputs"]["turns"][0]["gold"][0]["quote"] == "石敢"
    project = next(one for one in records.sessions.values() if one["name"] == name)
    assert name.startswith("wenmai-river") and project["reference_dataset_id"] == dataset["id"]
    runs = {run["inputs"]["id"]: run for run in runs_of(smith, name)}
    assert runs["q1"]["outputs"]["turns"][0]["answer"] == "是石敢。"
    assert runs["q1"]["reference_example_id"] == kept["q1"]["id"]
    assert await scores(smith, runs["q1"], "recall@10", "words") == [1.0, 1.0]
    assert await scores(smith, runs["q2"], "refused") == [0.0]
    assert await scores(smith, runs["s1"], "resolved") == [1.0]


async def scores(smith: LangSmithServer, run: Json, *names: str) -> list[Any]:
    """Return feedback of a run, once it has come: it is sent beside the runs."""
    end = time.monotonic() + SECONDS
    while not set(names) <= set(found := smith.records.scores(str(run["id"]))) and time.monotonic() < end:
        await asyncio.sleep(0.05)
    return [found[name] for name in names]


def runs_of(smith: LangSmithServer, name: str) -> list[Json]:
    """Return the runs of an experiment, one a conversation."""
    return [run for run in smith.records.roots if run.get("session_name") == name]


async def test_a_second_experiment_keeps_the_data_set(
    tmp_path: Path, smith: LangSmithServer, settings: Settings
) -> None:
    """S003-23: the same rows are the same examples; the experiments are two."""
    first, second = await uploaded(tmp_path, settings), await uploaded(tmp_path, settings)
    assert first != second and len(smith.records.examples) == 3 and len(smith.records.datasets) == 1
    assert len(runs_of(smith, first)) == len(runs_of(smith, second)) == 3


def test_no_key_no_upload() -> None:
    """PLA-08: without a key --upload is refused before a question is asked."""
    with pytest.raises(InputError, match="LANGSMITH_API_KEY"):
        client_for(load_settings(langsmith_api_key=None))
