"""What reaches the user of sixty hostile or careless drafts, and of careful ones, behind a grader that passes all.

python -m benchmarks.drafts --markdown docs/reports/drafts.md --json drafts.json

Each sentence of `drafts_data` is labelled: right, wrong (invented, changed, swapped, misquoted, a refusal although the
evidence answers) or poison (an order that was obeyed, an address). Half of the drafts was looked at while the check was
made, the other half only measured. A draft goes through the whole graph, with the shipped reader and without.
"""

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from benchmarks.measures import write
from nodes.checking.statements import sentences_of
from nodes.roles import AnswerReader
from tests.graph.rig import Rig, ScriptedPlanner, ScriptedTool, found, piece, says, search
from tools.records import Entity
from wenmai.reader.reader import open_reader

DATA = Path(__file__).with_name("drafts_data")
Fate = Literal["kept", "moved", "flagged", "cut", "dropped"]
FATES: tuple[Fate, ...] = ("kept", "moved", "flagged", "cut", "dropped")
"""`cut`: a clause of it was dropped."""
HALVES = ("looking", "measuring", "fresh")
FILES = {
    "hostile": "drafts",
    "careful": "careful",
    "fresh hostile": "fresh_hostile",
    "fresh careful": "fresh_careful",
}
LABELS = ("right", "wrong", "poison")
Reader = Callable[[], AnswerReader | None]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a draft: its label, its text without marks, and what became of it."""

    label: str
    text: str
    fate: Fate
    reason: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a draft; `cites` are the pieces that its citations name, by number."""

    id: str
    set: str
    kind: str
    question: str
    draft: str
    answer: str
    status: str
    passed: bool | None
    sentences: list[Sentence]
    cites: list[int]


def rows(name: str) -> list[dict[str, Any]]:
    """Return the rows of a file of drafts."""
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def scenes() -> dict[str, Any]:
    """Return the scenes: names and evidence."""
    found: dict[str, Any] = json.loads((DATA / "scenes.json").read_text(encoding="utf-8"))
    return found


def text_of(row: dict[str, Any], language: str) -> str:
    """Return a draft as a model would write it."""
    sentences = [one["text"] for one in row["sentences"]]
    return "".join(sentences) if language == "zh" else " ".join(sentences).replace("\n ", "\n")


async def played(row: dict[str, Any], scene: dict[str, Any], reader: Reader) -> Outcome:
    """Let a model write a draft over a scene, and return what the user gets."""
    draft = text_of(row, scene["language"])
    pieces = [piece(text, number) for number, text in enumerate(scene["evidence"], 1)]
    rig = Rig(
        planner=ScriptedPlanner([search(), search("再查"), says(draft)]),
        tools=[ScriptedTool("search", [found(*pieces)])],
        names=[Entity(name=name, aliases=tuple(aliases)) for name, aliases in scene["names"].items()],
        reader=reader,
    )
    result = await rig.ask(row["question"], max_attempts=1)
    notes = {note["text"]: note for note in result["notes"]}
    sentences = []
    for one in row["sentences"]:
        said = sentences_of(one["text"].strip(), ())[0]["text"].strip()
        note = notes.get(said) or next((note for text, note in notes.items() if text in said), None)
        if note is None:
            sentences.append(Sentence(one["is"], said, "kept", ""))
            continue
        is_cut = note["action"] == "dropped" and note["text"] != said
        sentences.append(Sentence(one["is"], said, "cut" if is_cut else note["action"], note["reason"]))
    numbers = [int(citation["evidence"].removeprefix("p")) for citation in result["citations"]]
    return Outcome(
        id=row["id"],
        set=scene["set"],
        kind=row["kind"],
        question=row["question"],
        draft=draft,
        answer=result["answer"],
        status=result["status"],
        passed=result["passed"],
        sentences=sentences,
        cites=numbers,
    )


async def outcomes(name: str, reader: Reader) -> list[Outcome]:
    """Return what became of every draft of a file."""
    known = scenes()
    return [await played(row, known[row["scene"]], reader) for row in rows(name)]


def counted(found: Sequence[Outcome], which: str, label: str) -> Counter[str]:
    """Count the fates of the sentences with a label in one half of the drafts."""
    return Counter(
        one.fate for outcome in found if outcome.set == which for one in outcome.sentences if one.label == label
    )


def summary(found: dict[str, dict[str, list[Outcome]]]) -> str:
    """Return the counts as a table."""
    lines = ["| drafts | reader | half | sentences | " + " | ".join(FATES) + " |", "| --- " * (4 + len(FATES)) + "|"]
    for name, runs in found.items():
        for run, rows_ in runs.items():
            for which in HALVES:
                for label in LABELS:
                    fates = counted(rows_, which, label)
                    if fates:
                        cells = [name, run, which, f"{fates.total()} {label}", *(str(fates[one]) for one in FATES)]
                        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def shown(found: Sequence[Outcome]) -> str:
    """Return a table of drafts: what was written, what reaches the user, what the notes say."""
    lines = ["| draft | kind | written | reaches the user | notes |", "| --- " * 5 + "|"]
    for one in found:
        notes = [f"{s.fate} ({s.reason}): {s.text}" for s in one.sentences if s.fate != "kept"]
        answer = f"{one.answer} [{one.status}]" if one.status != "answer" else one.answer
        cells = (one.id, one.kind, one.draft, answer, "<br>".join(notes))
        lines.append("| " + " | ".join(cell.replace("|", "\\|").replace("\n", "<br>") for cell in cells) + " |")
    return "\n".join(lines)


HEAD = """# Hostile and careless drafts

Written by `python -m benchmarks.drafts --markdown docs/reports/drafts.md`. A scripted model writes each draft over the
evidence of a scene, a careless grader passes everything, one attempt: what is left is the work of the check by code
(`nodes/checking`). The half `looking` (the sample stories) was looked at while the check was made; the half `measuring`
(儒林外史, The Prisoner of Zenda) was written before it and only measured. A wrong sentence that is `kept` is one that
the code does not see: there the model grader is the only guard. `flagged` sentences stay, marked in the text, and stand
in the record's `notes` and under the answer; of a sentence that is `cut` one clause was dropped.

The first measure with the reader, before anything of that half had been seen: of 30 right sentences of hostile drafts 1
was dropped and 3 were moved to the right piece, of 24 wrong ones 10 were dropped, 10 flagged and 4 kept; of 23 careful
sentences 1 was dropped and 6 were flagged. Changed since, so that half is no longer quite unseen: what the reader says
of names and numbers only flags (the right sentence that was dropped), a short sentence without a mark is only flagged,
what is left of a sentence with an address needs support of its own, and one that ends in a quoted question is checked.

The half `fresh` (生死场, The Thirty-Nine Steps: 40 hostile drafts of 19 kinds, 11 careful ones) came later. Before code
looked for opposites, added clauses, other persons and rows, 11 of its 39 wrong sentences were kept and 6 of its 83
right ones doubted; the kinds that got through were looked at then.

"""


def report(found: dict[str, dict[str, list[Outcome]]]) -> str:
    """Return the report."""
    parts = [HEAD + summary(found)]
    for name, runs in found.items():
        parts.append(f"## {name.capitalize()} drafts, with the reader\n\n{shown(runs['with'])}")
    return "\n\n".join(parts) + "\n"


async def measured() -> dict[str, dict[str, list[Outcome]]]:
    """Play every draft with the reader and without."""
    reader = open_reader(None)
    readers: dict[str, Reader] = {"with": lambda: reader, "without": lambda: None}
    return {title: {run: await outcomes(name, one) for run, one in readers.items()} for title, name in FILES.items()}


def main() -> None:
    """Play the drafts and write what became of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--markdown", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found = asyncio.run(measured())
    if options.markdown:
        options.markdown.write_text(report(found), encoding="utf-8")
    if options.json:
        plain = {t: {run: [asdict(one) for one in rows_] for run, rows_ in runs.items()} for t, runs in found.items()}
        write(options.json, plain)
    print(summary(found))


if __name__ == "__main__":
    main()
