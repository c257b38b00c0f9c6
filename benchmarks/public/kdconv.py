"""KdConv's own files: talks whose turns are grounded in triples, and the triples."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

Triple = tuple[str, str, str]
ASKS = re.compile(r"(?:[？?]|[呢吗])\s*$")


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A question that names none of the entities that its answer is grounded in; message `at` of its dialogue."""

    at: int
    question: str
    answer: str
    gold: frozenset[Triple]

    @property
    def entities(self) -> set[str]:
        """The heads of the gold triples."""
        return {head for head, _, _ in self.gold}


@dataclass(frozen=True, slots=True)
class Dialogue:
    """What two people said in turn, and which of it are follow-up questions."""

    messages: Sequence[str]
    questions: Sequence[FollowUp]


def read_triples(path: Path) -> list[Triple]:
    """Return the triples of a `kb.json`, each once."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    return list(dict.fromkeys((head, name, tail) for triples in rows.values() for head, name, tail in triples))


def read_dialogues(path: Path) -> list[Dialogue]:
    """Return the dialogues of a `dev.json` (or train, test) with their follow-up questions."""
    return [
        Dialogue([one["message"].strip() for one in row["messages"]], list(follow_ups(row["messages"])))
        for row in json.loads(path.read_text(encoding="utf-8"))
    ]


def follow_ups(messages: Sequence[dict[str, object]]) -> Iterator[FollowUp]:
    """Give the messages that only ask, whose answer is grounded, and that name no entity of the answer."""
    for at, (asked, told) in enumerate(pairwise(messages)):
        question = str(asked["message"]).strip()
        gold = grounding(told)
        if gold and not grounding(asked) and ASKS.search(question):
            found = FollowUp(at, question, str(told["message"]).strip(), gold)
            if not any(entity in question for entity in found.entities):
                yield found


def grounding(message: dict[str, object]) -> frozenset[Triple]:
    """Return the triples that a message rests on."""
    rows = message.get("attrs") or ()
    assert isinstance(rows, Sequence)
    return frozenset((row["name"], row["attrname"], row["attrvalue"]) for row in rows)
