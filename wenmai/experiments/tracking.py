"""The same experiment through LangSmith, which keeps data set, runs and measures."""

import asyncio
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from langsmith import Client, aevaluate
from langsmith.schemas import Example, Run
from langsmith.utils import LangSmithError

from tools.errors import TrackingError
from tools.messages import Message
from wenmai.experiments.questions import MEASURES, TURN, ExpectedTalk, Names, measure
from wenmai.experiments.runner import Judging, QuestionAsker, TurnOutcome, mean, run
from wenmai.observability.langsmith import failure_line

NAMESPACE = uuid.UUID("6f2b1f0e-2c0e-5d0a-9a7e-0d1f6f0f3c55")
"""Makes the id of an example depend on library and conversation alone."""

KEPT = (
    "question", "resolved_question", "answer", "status", "confidence", "passed", "citations", "evidence", "trace_id",
)  # fmt: skip


def examples(library: str, conversations: Sequence[ExpectedTalk]) -> list[Example]:
    """Return an example for each conversation: its questions in, its expectations out.

    Its id is that of its content, so that a changed question is a new example.
    """
    dataset = uuid.uuid5(NAMESPACE, library)
    return [
        Example(
            id=uuid.uuid5(dataset, repr(conversation)),
            dataset_id=dataset,
            inputs={"id": conversation.id, "questions": [turn.question for turn in conversation.turns]},
            outputs={"turns": [asdict(turn) for turn in conversation.turns]},
        )
        for conversation in conversations
    ]


def row_of(outcome: TurnOutcome) -> dict[str, Any]:
    judged = {"judged": dict(outcome.judged.scores)} if outcome.judged else {}
    return {key: outcome.record[key] for key in KEPT} | judged


def evaluator(names: Names) -> Callable[[Run, Example | None], dict[str, Any]]:
    """Return what gives every measure as its mean over the turns of a conversation."""

    def measures(run: Run, example: Example | None) -> dict[str, Any]:
        turns = [TURN.validate_python(row) for row in (example.outputs or {})["turns"]] if example else []
        records = (run.outputs or {}).get("turns", [])
        pairs = zip(turns, records, strict=False)
        scores = [measure(turn, record, names) | record.get("judged", {}) for turn, record in pairs]
        known = dict.fromkeys([*MEASURES, *(name for score in scores for name in score)])
        means = {name: mean(score.get(name) for score in scores) for name in known}
        return {"results": [{"key": key, "score": value} for key, value in means.items() if value is not None]}

    return measures


async def evaluate(
    agent: QuestionAsker,
    library: str,
    conversations: Sequence[ExpectedTalk],
    names: Names,
    *,
    context: Mapping[str, Any],
    client: Client,
    upload: bool = True,
    judge: Judging | None = None,
    outcomes: list[TurnOutcome] | None = None,
) -> tuple[str, list[TurnOutcome]]:
    """Run an experiment through LangSmith; return its name there and the outcomes. Not uploaded, it runs here.

    Outcomes are put into `outcomes` as they come: they were paid for, whatever LangSmith does with them.

    Raises TrackingError.
    """
    kept = [] if outcomes is None else outcomes
    by_id = {one.id: one for one in conversations}

    async def converse(inputs: dict[str, Any]) -> dict[str, Any]:
        talk = [by_id[inputs["id"]]]
        new = [one async for one in run(agent, talk, names, context=context, judge=judge)]
        kept.extend(new)
        return {"turns": [row_of(outcome) for outcome in new]}

    found = examples(library, conversations)
    with tracking_errors(client):
        if upload:
            found = await asyncio.to_thread(store_examples, client, f"wenmai-{library}", found)
        results = await aevaluate(
            converse,
            data=found,
            evaluators=[evaluator(names)],
            experiment_prefix=f"wenmai-{library}",
            max_concurrency=1,
            client=client,
            upload_results=upload,
        )
    return results.experiment_name, kept


@contextmanager
def tracking_errors(client: Client) -> Iterator[None]:
    """Raise TrackingError, one line, where LangSmith does not take the experiment."""
    try:
        yield
    except (LangSmithError, OSError) as error:  # what its requests raise is an OSError, an answer that is no JSON too
        line = failure_line(str(error), client.api_url)
        raise TrackingError(Message("experiment.measure_without_upload", line=line)) from error


def store_examples(client: Client, name: str, found: Sequence[Example]) -> list[Example]:
    exists = client.has_dataset(dataset_name=name)
    dataset = client.read_dataset(dataset_name=name) if exists else client.create_dataset(name)
    known = {example.id for example in client.list_examples(dataset_id=dataset.id)}
    fresh = [{"id": e.id, "inputs": e.inputs, "reference_outputs": e.outputs} for e in found if e.id not in known]
    if fresh:
        client.create_examples(dataset_id=dataset.id, examples=fresh)
    wanted = {example.id for example in found}
    return [example for example in client.list_examples(dataset_id=dataset.id) if example.id in wanted]
