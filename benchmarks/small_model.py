"""A small model beside the offline mind, question by question: `python -m benchmarks.small_model --scripted`.

Each question is asked without a model and with MODEL_PROFILE=small; both answers are printed below each other, to be
counted by hand, with the seconds, calls and tokens of the second and what the check said of it. With `--url` and
`--model` a real server answers (`python -m devservers.llama MODEL.gguf`), with `--scripted` the model of
`tests/small_model.py`, which has the habits of small ones.
"""

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nodes.notices import check_text
from tests.gemini.replies import always
from tests.gemini.space import LOOPBACK_MODEL
from tests.openai_service.server import ChatServer
from tests.small_model import SmallModel
from wenmai.agent import Agent, open_agent
from wenmai.app.sample import sample_folder
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.settings.settings import Settings, load_settings

STORIES = {
    "zh": ("雾港纪事.txt", "aliases.json", "questions.jsonl"),
    "en": ("fog_harbor_en.txt", "aliases_en.json", "questions_en.jsonl"),
}
SCALE = 100  # a scripted model is so many times as fast as one of five tokens a second


@dataclass(frozen=True, slots=True)
class Row:
    """One question, answered by both minds."""

    question: str
    expect: list[list[str]]
    offline: dict[str, Any]
    small: dict[str, Any]
    seconds: float

    def is_right(self, record: dict[str, Any]) -> bool:
        """Return True if an answer has the words that a right one has; of an unanswerable question, if it refuses."""
        if not self.expect:
            return bool(record["status"] == "not_found")
        said = record["answer"] if record["status"] == "answer" else ""
        return all(any(one in said for one in words) for words in self.expect)


async def records(settings: Settings, asked: dict[str, list[dict[str, Any]]]) -> list[tuple[dict[str, Any], float]]:
    async with open_agent(settings) as agent:
        return [await one(agent, row["question"], language) for language, rows in asked.items() for row in rows]


async def one(agent: Agent, question: str, library: str) -> tuple[dict[str, Any], float]:
    started = time.perf_counter()
    record = (await agent.ask(question, library=library)).record
    seconds = time.perf_counter() - started
    sys.stderr.write(
        f"{seconds:.1f} s {record['usage'].get('total_tokens', 0)} tokens {question} {record['answer']!r}\n"
    )
    return record, seconds


@contextmanager
def service(url: str, model: str) -> Iterator[dict[str, Any]]:
    """Give the settings of a model: of a server that runs, else of the scripted one."""
    if url:
        yield {"openai_base_url": url, "openai_model": model}
        return
    server = ChatServer().start()
    try:
        space = server.open()
        space.piece = 2
        space.play(always(SmallModel(gap_s=0.2 / SCALE)))
        yield {"openai_base_url": server.url, "openai_api_key": space.key, "openai_model": LOOPBACK_MODEL}
    finally:
        server.stop()


async def compare(folder: Path, url: str, model: str, each: int, more: dict[str, Any]) -> list[Row]:
    plain: dict[str, Any] = {"data_dir": folder / "data", "trace_dir": folder / "traces"}
    asked = {}
    async with open_agent(load_settings(**plain, use_mock_llm=True)) as agent:
        services, source = agent.services, sample_folder()
        for language, (story, aliases, questions) in STORIES.items():
            request = IngestRequest(path=source / story, library=language, aliases=source / aliases)
            await ingest(request, stores=services.stores, embedder=services.embedder, tagger=services.reader)
            rows = [json.loads(line) for line in (source / questions).read_text(encoding="utf-8").splitlines()]
            asked[language] = rows[:: max(1, len(rows) // each)][:each]
    offline = await records(load_settings(**plain, use_mock_llm=True), asked)
    with service(url, model) as named:
        small = await records(load_settings(**plain, **named, model_profile="small", **more), asked)
    rows = [row for rows in asked.values() for row in rows]
    return [
        Row(row["question"], row.get("expect", []) if row.get("answerable", True) else [], before, after, seconds)
        for row, (before, _), (after, seconds) in zip(rows, offline, small, strict=True)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.small_model", description=(__doc__ or "").split("\n", 1)[0]
    )
    parser.add_argument(
        "--url", default="", help="address of a server, with /v1; without one the scripted model answers"
    )
    parser.add_argument("--model", default="model")
    parser.add_argument("--scripted", action="store_true", help="the scripted model, which is the default")
    parser.add_argument("--each", type=int, default=15, help="questions of each language")
    parser.add_argument("--timeout", type=float, default=60.0, help="MODEL_TIMEOUT_S")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = asyncio.run(
            compare(Path(folder), chosen.url, chosen.model, chosen.each, {"model_timeout_s": chosen.timeout})
        )
    for number, row in enumerate(rows, 1):
        usage, said = row.small["usage"], check_text(row.small["notes"], row.small["language"])
        cost = f"{row.seconds:.1f} s, {usage.get('calls', 0)} calls, {usage.get('total_tokens', 0)} tokens"
        marks = "".join("+-"[not row.is_right(record)] for record in (row.offline, row.small))
        lines = [
            f"{number}. {row.question} [{marks}] {cost} {row.small['warning'] or ''}",
            f"   - {row.offline['answer']!r}",
            f"   = {row.small['answer']!r}",
        ]
        sys.stdout.write("\n".join([*lines, *([f"   {said}"] if said else [])]) + "\n")
    sys.stdout.write(summary(rows) + "\n")


def summary(rows: list[Row]) -> str:
    called = [row.small["usage"]["total_tokens"] for row in rows if row.small["usage"].get("calls")]
    worded = [row for row in rows if row.small["usage"].get("calls") and not row.small["notes"]]
    right = [
        sum(row.is_right(record) for row, record in pairs)
        for pairs in ([(row, row.offline) for row in rows], [(row, row.small) for row in rows])
    ]
    stand = sum(row.small["answer"] != row.offline["answer"] for row in worded)
    failed, seconds = sum(row.small["status"] == "failed" for row in rows), sorted(row.seconds for row in rows)
    parts = [
        f"questions {len(rows)}, right offline {right[0]}, with the model {right[1]}, failed {failed}",
        f"asked the model {len(called)}, its words stand {stand}",
        f"seconds median {statistics.median(seconds):.1f}, most {seconds[-1]:.1f}",
        f"tokens a call {statistics.mean(called or [0]):.0f}",
    ]
    return "; ".join(parts)


if __name__ == "__main__":
    main()
