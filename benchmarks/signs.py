"""Fits the weights of the offline mind's signs, and shows what they are worth on questions that were held out.

    python -m benchmarks.signs --data-dir /tmp/quality --library novel --who who.jsonl --talks talks.jsonl

A row of --who: {"q": a question for one person, "who": [his names]}. A row of --talks: {"id", "turns": [{"q", "names":
[[names of one who is referred to], …], "standalone": the question by itself, "answer": the right answer}]}. The talks
are replayed twice: with right answers, as a live model gives them, and with the agent's own. The peer is salience
alone.
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

from benchmarks.signs_fit import Choice, Fitted, fit, held_out
from nodes.roles import ResolveRequest
from state.session import MAX_TURNS, Session, SessionTurn
from tools.linking import NameTable
from wenmai.agent import Agent, open_agent
from wenmai.minds.offline.analysis import analyse
from wenmai.minds.offline.anaphora import find_anaphors
from wenmai.minds.offline.attested import Attested, OpenPlace, open_place, passages_for, places_of
from wenmai.minds.offline.cues import cue
from wenmai.minds.offline.descriptions import matches
from wenmai.minds.offline.discourse import Discourse, Referent, build
from wenmai.minds.offline.lore import is_listed, lore_of
from wenmai.minds.offline.newcomers import with_newcomers
from wenmai.minds.offline.pointing import marks_of
from wenmai.minds.offline.signs import Signs
from wenmai.minds.offline.weighing import Marks, Standing, standing
from wenmai.minds.offline.whom import witnessed
from wenmai.settings import Settings

Rows = dict[str, list[tuple[float, ...]]]
Replay = AsyncIterator[tuple[Mapping[str, Any], Session]]
"""The turns of a talk, each with the session before it."""
USED = ("sentence", "near", "around", "clause", "scene", "mentions", "fame", "titled", "at_once")
"""The signs that tell something of follow-ups; the others told nothing more."""
UNTOLD = (*Signs(), 1.0)  # the signs of one whom no passage names, and that none does
COLUMNS = (*Signs._fields, "untold", *Standing._fields)


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
    agent: Agent, rows: Sequence[Mapping[str, Any]], library: str, table: NameTable, *, own: bool
) -> list[Choice]:
    """Return the choice among the people of a talk for each of its turns that refers to one.

    The turns before it have right answers, or with `own` those that the agent gives.
    """
    choices = []
    for at, row in enumerate(rows):
        async for turn, session in (self_answered if own else right_answered)(agent, row, library):
            right = named(turn["names"][0], table) if session["turns"] and len(turn["names"]) == 1 else []
            if any(is_listed(name, table) for name in right):
                request = ResolveRequest(
                    question=turn["q"], session=session, library=library, horizon=None, language="zh"
                )
                found = await signs_in(agent, request, table)
                choices += [Choice.of(found, right, at)] if found else []
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


async def signs_in(agent: Agent, request: ResolveRequest, listed: NameTable) -> Rows:
    """Return the signs and the standing of each person that a follow-up may mean; {} where it leaves nobody open."""
    table = with_newcomers(request.session, listed)
    left = open_place(request.question, table)
    if left is None or not left.telling:
        return {}
    told = Attested(left.at, part=left.part)
    discourse = build(request.session, table, lore=await lore_of(request, table, agent.services.passages), told=told)
    people = [one for one in discourse.people() if one.name not in left.named and is_listed(one.name, table)]
    if left.female:
        people = [one for one in people if one.female] or people
    if len(people) < 2:
        return {}
    names = [one.name for one in people]
    passages = await passages_for(request, names, table, agent.services.passages)
    places: Rows = {}
    for name, signs in places_of(left, passages, names, table):
        used = (sign if field in USED else 0.0 for field, sign in zip(Signs._fields, signs, strict=True))
        places.setdefault(name, []).append((*used, 0.0))
    top = max(one.score for one in people)
    marks = marks_at(discourse, people, left)
    profiles = {
        one.name: tuple(map(float, standing(discourse, one, one.score - top, marks[one.name]))) for one in people
    }
    return {name: [(*signs, *of) for signs in places.get(name, [UNTOLD])] for name, of in profiles.items()}


def marks_at(discourse: Discourse, people: Sequence[Referent], left: OpenPlace) -> dict[str, Marks]:
    """Return what the word, or the place where one is left out, says for each."""
    anaphor = next((one for one in find_anaphors(left.question) if one.start == left.at), None)
    if anaphor and anaphor.form not in ("pronoun", "possessive"):
        fitting = [(matches(discourse, one, anaphor.head, anaphor.modifier), one) for one in people]
        return marks_of(discourse, anaphor, fitting)
    text = left.question.masked
    said = text if anaphor else f"{text[: left.at]}他{text[left.at :]}"
    return {one.name: Marks(cued=cue(discourse, one, said)) for one in people}


def salience_alone(choices: Sequence[Choice]) -> list[int | None]:
    """Return the rank of the right one of each question by salience alone."""
    weights = [float(column == "salience") for column in COLUMNS]
    return [Fitted(np.array(weights)).rank(choice) for choice in choices]


def shown(name: str, ranks: Sequence[int | None]) -> tuple[str, str, str, str]:
    """Return a row of the table: how often the right one is first, and among the first three."""
    first = sum(rank == 0 for rank in ranks)
    three = sum(rank is not None and rank < 3 for rank in ranks)
    return name, str(len(ranks)), str(first), str(three)


async def measured(arguments: argparse.Namespace) -> dict[str, Any]:
    """Ask, fit, print; return the figures."""
    settings = Settings(data_dir=arguments.data_dir, trace_dir=arguments.data_dir / "traces")
    drawn, figures = Table("choices", "n", "first", "first three"), dict[str, Any]()
    async with open_agent(settings) as agent:
        await agent.services.open(arguments.library)
        table = await agent.services.linker.table(arguments.library, None)
        who = await asked(agent, rows_of(arguments.who), arguments.library, table)
        rows = rows_of(arguments.talks)
        talks = await talked(agent, rows, arguments.library, table, own=False)
        talks += await talked(agent, rows, arguments.library, table, own=True)
    for name, told, columns, choices in (
        ("who", "谁-questions, held out", Signs._fields, who),
        ("talks", "follow-ups, held out", COLUMNS, talks),
    ):
        weights, ranks = dict(zip(columns, map(float, fit(choices).weights), strict=True)), held_out(choices)
        figures[name] = {"weights": weights, "ranks": ranks}
        drawn.add_row(*shown(told, ranks))
        print(name, ", ".join(f"{column}={weight:.2f}" for column, weight in weights.items()))
    drawn.add_row(*shown("follow-ups, by salience alone", salience_alone(talks)))
    Console(width=120).print(drawn)
    return figures


def rows_of(path: Path) -> list[dict[str, Any]]:
    """Read JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def main() -> None:
    """Measure and write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--library", default="novel")
    parser.add_argument("--who", type=Path, required=True)
    parser.add_argument("--talks", type=Path, required=True)
    parser.add_argument("--json", type=Path, help="file for the figures")
    arguments = parser.parse_args()
    figures = asyncio.run(measured(arguments))
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
