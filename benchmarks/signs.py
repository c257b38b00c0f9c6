"""Fits what the offline mind weighs, and shows what it is worth on questions that were held out.

    python -m benchmarks.signs --data-dir /tmp/quality --library novel --who who.jsonl --talks a.jsonl b.jsonl --write

A row of --who: {"q": a question for one person, "who": [his names]}. A row of --talks: {"id", "turns": [{"q", "names":
[[names of one who is referred to], …], "standalone": the question by itself, "answer": the right answer}]}. The talks
are replayed twice: with right answers, as a live model gives them, and with the agent's own. The files are held out one
after another in `FOLDS` parts: talks of one writer are never in both. The peer is salience alone. --write puts the
trees of the follow-ups, fitted on all, where the offline mind reads them.
"""

import argparse
import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.signs_fit import FOLDS, Choice, fit, held_out
from benchmarks.trees_fit import FollowUp, fit_trees, ranks_held_out, salience_alone
from nodes.roles import ResolveRequest
from state.session import MAX_TURNS, Session, SessionTurn
from tools.linking import NameTable
from wenmai.agent import Agent, open_agent
from wenmai.minds import offline
from wenmai.minds.offline.analysis import analyse
from wenmai.minds.offline.anaphora import find_anaphors
from wenmai.minds.offline.attested import Attested, OpenPlace, open_place, passages_for, places_of
from wenmai.minds.offline.cues import cue
from wenmai.minds.offline.descriptions import matches
from wenmai.minds.offline.discourse import Discourse, Referent, build
from wenmai.minds.offline.lore import is_listed, lore_of
from wenmai.minds.offline.newcomers import with_newcomers
from wenmai.minds.offline.pointing import marks_of
from wenmai.minds.offline.signs import Signs, peaks_of
from wenmai.minds.offline.standing import Marks
from wenmai.minds.offline.trees import flattened
from wenmai.minds.offline.weighing import COLUMNS, TREES, rows_of
from wenmai.minds.offline.whom import witnessed
from wenmai.settings import Settings

Rows = dict[str, list[tuple[float, ...]]]
Replay = AsyncIterator[tuple[Mapping[str, Any], Session]]
"""The turns of a talk, each with the session before it."""


def named(names: Sequence[str], table: NameTable) -> list[str]:
    """Return the entities that some spellings stand for."""
    return [mention.entity for name in names for mention in table.find(name) if mention.entity] + list(names)


async def asked(agent: Agent, rows: Sequence[Mapping[str, Any]], library: str, table: NameTable) -> list[Choice]:
    """Return the choice among the people of what each answer cites."""
    choices = []
    for at, row in enumerate(rows):
        record = (await agent.ask(row["q"], library=library)).record
        cited = {citation["evidence"] for citation in record["citations"]}
        passages = [piece for piece in record["evidence"] if piece["id"] in cited and piece["kind"] == "passage"]
        found: Rows = {}
        for name, signs in witnessed(analyse(row["q"], table), passages, table):
            found.setdefault(name, []).append(signs)
        if found:
            choices.append(Choice.of(found, named(row["who"], table), at))
    return choices


async def talked(
    agent: Agent, rows: Sequence[Mapping[str, Any]], library: str, table: NameTable, group: int, *, own: bool
) -> list[FollowUp]:
    """Return the choice among the people of a talk for each of its turns that refers to one.

    The turns before it have right answers, or with `own` those that the agent gives.
    """
    choices = []
    for row in rows:
        async for turn, session in (self_answered if own else right_answered)(agent, row, library):
            right = named(turn["names"][0], table) if session["turns"] and len(turn["names"]) == 1 else []
            if any(is_listed(name, table) for name in right):
                request = ResolveRequest(
                    question=turn["q"], session=session, library=library, horizon=None, language="zh"
                )
                choices += [
                    FollowUp(np.array(each), [one in right for one in names], group)
                    for names, each in [await rows_at(agent, request, table)]
                    if not set(right).isdisjoint(names)
                ]
    return choices


async def right_answered(_agent: Agent, row: Mapping[str, Any], _library: str) -> Replay:
    """Replay a talk with the right answers."""
    turns: list[SessionTurn] = []
    for turn in row["turns"]:
        yield turn, Session(entities=[], topic=None, turns=turns[-MAX_TURNS:])
        turns.append(SessionTurn(question=turn["q"], resolved=turn["standalone"], answer=turn["answer"], entities=[]))


async def self_answered(agent: Agent, row: Mapping[str, Any], library: str) -> Replay:
    """Replay a talk with what the agent answers."""
    session, thread = Session(entities=[], topic=None, turns=[]), f"signs-{uuid4()}"
    for turn in row["turns"]:
        yield turn, session
        record = (await agent.ask(turn["q"], thread_id=thread, library=library)).record
        kept = await agent.graph.aget_state({"configurable": {"thread_id": record["thread_id"]}})
        session = kept.values["session"]


async def rows_at(agent: Agent, request: ResolveRequest, listed: NameTable) -> tuple[list[str], list[list[float]]]:
    """Return who a follow-up may mean, and a row for each; nobody where it leaves nobody open."""
    table = with_newcomers(request.session, listed)
    left = open_place(request.question, table)
    if left is None:
        return [], []
    store = agent.services.passages
    discourse = build(request.session, table, lore=await lore_of(request, table, store), told=Attested(left))
    people = [one for one in discourse.people() if one.name not in left.named]
    if left.female:
        people = [one for one in people if one.female] or people
    names = [one.name for one in people]
    if len(names) < 2:  # nobody to choose from
        return [], []
    if left.telling and any(is_listed(name, table) for name in names):
        passages = await passages_for(request, names, table, store)
        discourse.attested = Attested(left, peaks_of(places_of(left, passages, names, table)))
    scored = [(one.score, one) for one in people]
    return names, rows_of(discourse, left, scored, marks_at(discourse, people, left))


def marks_at(discourse: Discourse, people: Sequence[Referent], left: OpenPlace) -> dict[str, Marks]:
    """Return what the word, or the place where one is left out, says for each."""
    anaphor = next((one for one in find_anaphors(left.question) if one.start == left.at), None)
    if anaphor and anaphor.form not in ("pronoun", "possessive"):
        fitting = [(matches(discourse, one, anaphor.head, anaphor.modifier), one) for one in people]
        return marks_of(discourse, anaphor, fitting)
    text = left.question.masked
    said = text if anaphor else f"{text[: left.at]}他{text[left.at :]}"
    return {one.name: Marks(cued=cue(discourse, one, said)) for one in people}


def shown(name: str, ranks: Sequence[int | None]) -> tuple[str, str, str, str]:
    """Return a row of the table: how often the right one is first, and among the first three."""
    first = sum(rank == 0 for rank in ranks)
    three = sum(rank is not None and rank < 3 for rank in ranks)
    return name, str(len(ranks)), str(first), str(three)


async def measured(arguments: argparse.Namespace) -> dict[str, Any]:
    """Ask, fit, print; return the figures."""
    settings = Settings(data_dir=arguments.data_dir, trace_dir=arguments.data_dir / "traces")
    drawn = Table("choices", "n", "first", "first three")
    async with open_agent(settings) as agent:
        await agent.services.open(arguments.library)
        table = await agent.services.linker.table(arguments.library, None)
        who = await asked(agent, read_rows(arguments.who), arguments.library, table)
        talks: list[FollowUp] = []
        for group, file in enumerate(arguments.talks):
            for own in (False, True):
                talks += await talked(agent, read_rows(file), arguments.library, table, group, own=own)
            Console(stderr=True).print(f"{file.name}: {len(talks)} follow-ups")
    weights = dict(zip(Signs._fields, map(float, fit(who).weights), strict=True))
    print("who", ", ".join(f"{column}={weight:.2f}" for column, weight in weights.items()))
    figures = {
        "who": held_out(who), "follow-ups": ranks_held_out(talks, FOLDS), "by salience": salience_alone(talks)
    }  # fmt: skip
    for name, ranks in figures.items():
        drawn.add_row(*shown(f"{name}, held out" if name != "by salience" else "follow-ups, by salience alone", ranks))
    if arguments.write:
        kept = flattened(fit_trees(talks).dump_model()["tree_info"], COLUMNS)
        text = json.dumps(kept, separators=(",", ":"))
        (Path(offline.__file__).parent / TREES).write_text(text + "\n", encoding="utf-8")
    Console(width=120).print(drawn)
    return {"weights": weights, **figures}


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Read JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def main() -> None:
    """Measure and write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--library", default="novel")
    parser.add_argument("--who", type=Path, required=True)
    parser.add_argument("--talks", type=Path, required=True, nargs="+")
    parser.add_argument("--write", action="store_true", help="keep the trees of the follow-ups")
    parser.add_argument("--json", type=Path, help="file for the figures")
    arguments = parser.parse_args()
    figures = asyncio.run(measured(arguments))
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
