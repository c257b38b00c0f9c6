"""What reaches the user of sixty hostile or careless drafts, and of careful ones, behind a grader that passes all.

python -m benchmarks.drafts --markdown docs/reports/drafts.md --json drafts.json

Each sentence of `drafts_data` is labelled: right, wrong (invented, changed, swapped, misquoted, a refusal although the
evidence answers), misplaced (true of another piece than its mark names) or poison (an order that was obeyed, an
address). A draft goes through the whole graph, with the shipped reader and without.

`--set held_out` measures sixty drafts on two stories and two tables written for them alone. Only their counts are
written: a check that is tuned on them measures nothing.
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
from state.draft import Note
from state.schema import Evidence
from tests.graph.rig import Rig, ScriptedPlanner, ScriptedTool, found, piece, says, search
from tools.evidence import blank
from tools.networks import context
from tools.records import Entity
from wenmai.reader.reader import open_reader

DATA = Path(__file__).with_name("drafts_data")
Fate = Literal["kept", "moved", "flagged", "cut", "dropped"]
FATES: tuple[Fate, ...] = ("kept", "moved", "flagged", "cut", "dropped")
"""`cut`: a clause of it was dropped."""
GONE = ("cut", "dropped")
HALVES = ("looking", "measuring", "fresh", "held_out")
KNOWN, HELD_OUT = "known", "held_out"
SETS = {
    KNOWN: {
        "hostile": "drafts",
        "careful": "careful",
        "fresh hostile": "fresh_hostile",
        "fresh careful": "fresh_careful",
    },
    HELD_OUT: {"held out": "held_out"},
}
READERS = ("with", "without")
LABELS = ("right", "wrong", "misplaced", "poison")
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
    """What became of a draft; `cites` are the numbers of the pieces cited, `wanted` those to cite where it matters."""

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
    wanted: list[int]

    def is_unseen(self, sentence: Sentence) -> bool:
        """Return whether nobody doubts a sentence that is not right: a mark may be moved to the piece that says it."""
        is_mended = sentence.label == "misplaced" and set(self.cites) == set(self.wanted)
        return sentence.fate in ("kept", "moved") and not is_mended


Runs = dict[str, list[Outcome]]
"""What became of the drafts of a file, with the reader and without."""


def rows(name: str) -> list[dict[str, Any]]:
    """Return the rows of a file of drafts."""
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def scenes() -> dict[str, Any]:
    """Return the scenes: names and evidence, in the held-out stories also the passages that no search brought."""
    files = ("scenes", "held_out_scenes")
    return {id: scene for name in files for id, scene in json.loads((DATA / f"{name}.json").read_text("utf-8")).items()}


def to_piece(entry: str | dict[str, Any], number: int) -> Evidence:
    """Return what a scene's search brought: a passage, a row of a network, or of a table in a document."""
    if isinstance(entry, str):
        return piece(entry, number)
    if "row" in entry:
        row: tuple[str, str, str] = tuple(entry["row"])
        return Evidence({**context.piece(entry["kind"], ["network", *row], row, row[0]), "id": f"p{number}"})
    if entry.get("kind") == "document":
        return blank("document", f"p{number}", entry["text"], source=entry["source"], start=0, end=len(entry["text"]))
    return piece(number=number, **entry)


def text_of(row: dict[str, Any], language: str) -> str:
    """Return a draft as a model would write it."""
    sentences = [one["text"] for one in row["sentences"]]
    return "".join(sentences) if language == "zh" else " ".join(sentences).replace("\n ", "\n")


async def played(row: dict[str, Any], scene: dict[str, Any], reader: Reader) -> Outcome:
    """Let a model write a draft over a scene, and return what the user gets."""
    draft = text_of(row, scene["language"])
    pieces = [to_piece(entry, number) for number, entry in enumerate(scene["evidence"], 1)]
    rig = Rig(
        planner=ScriptedPlanner([search(), search("再查"), says(draft)]),
        tools=[ScriptedTool("search", [found(*pieces)])],
        names=[Entity(name=name, aliases=tuple(aliases)) for name, aliases in scene["names"].items()],
        reader=reader,
    )
    result = await rig.ask(row["question"], max_attempts=1)
    sentences = [judged(one["is"], one["text"], result["notes"]) for one in row["sentences"]]
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
        wanted=row.get("cites", []),
    )


def judged(label: str, text: str, notes: Sequence[Note]) -> Sentence:
    """Return a labelled text with the gravest of the notes on it or on a part of it: rows are several sentences."""
    parts = [one["text"].strip() for one in sentences_of(text.strip(), ())]
    own = [note for note in notes if any(note["text"] in part for part in parts)]
    gravest = max(own, key=lambda note: FATES.index(note["action"]), default=None)
    if gravest is None:
        return Sentence(label, " ".join(parts), "kept", "")
    is_cut = gravest["action"] == "dropped" and gravest["text"] not in parts
    return Sentence(label, " ".join(parts), "cut" if is_cut else gravest["action"], gravest["reason"])


async def outcomes(name: str, reader: Reader) -> list[Outcome]:
    """Return what became of every draft of a file."""
    known = scenes()
    return [await played(row, known[row["scene"]], reader) for row in rows(name)]


def counted(found: Sequence[Outcome], which: str, label: str) -> Counter[str]:
    """Count the fates of the sentences with a label in one half of the drafts."""
    return Counter(
        one.fate for outcome in found if outcome.set == which for one in outcome.sentences if one.label == label
    )


def bars(found: Sequence[Outcome]) -> dict[str, tuple[int, int]]:
    """Return what the check is measured by: of how many sentences how many came to a wrong end."""
    pairs = [(outcome, one) for outcome in found for one in outcome.sentences]
    of = {label: [(outcome, one) for outcome, one in pairs if one.label == label] for label in LABELS}
    doubted = [one for _, one in of["wrong"] if one.reason == "contradicted"]
    right = Counter(one.fate for _, one in of["right"])
    return {
        "wrong, unseen": (sum(outcome.is_unseen(one) for outcome, one in of["wrong"]), len(of["wrong"])),
        "misplaced, unseen": (sum(outcome.is_unseen(one) for outcome, one in of["misplaced"]), len(of["misplaced"])),
        "contradicted, left standing": (sum(one.fate not in GONE for one in doubted), len(doubted)),
        "poison, left standing": (sum(one.fate not in GONE for _, one in of["poison"]), len(of["poison"])),
        "right, dropped": (sum(right[one] for one in GONE), len(of["right"])),
        "right, flagged": (right["flagged"], len(of["right"])),
    }


def bars_table(found: dict[str, dict[str, Runs]]) -> str:
    """Return a row of measures for each set of drafts and reader."""
    rows_ = {
        (name, run): bars([outcome for runs in files.values() for outcome in runs[run]])
        for name, files in found.items()
        for run in READERS
    }
    titles = list(next(iter(rows_.values())))
    lines = ["| set | reader | " + " | ".join(titles) + " |", "| --- " * (2 + len(titles)) + "|"]
    for (name, run), figures in rows_.items():
        cells = [f"{n} of {total} ({n / total:.0%})" if total else "none" for n, total in figures.values()]
        lines.append("| " + " | ".join([name, run, *cells]) + " |")
    return "\n".join(lines)


def summary(found: dict[str, Runs]) -> str:
    """Return the counts of the sentences by what became of them, as a table."""
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

The set `held_out` is sixty drafts (38 with one wrong statement, 2 with a misplaced mark, 14 right, 6 poisoned) on two
stories and two tables that were written for it, without a look at what the check catches. A misplaced mark is unseen
unless it is doubted or moved to the piece that says it. Of this set only counts are written.

"""


def report(found: dict[str, dict[str, Runs]]) -> str:
    """Return the report: measures and counts of each set, and what became of the drafts of the known one."""
    counts = summary({name: runs for files in found.values() for name, runs in files.items()})
    parts = [HEAD + bars_table(found), counts]
    for name, runs in found.get(KNOWN, {}).items():
        parts.append(f"## {name.capitalize()} drafts, with the reader\n\n{shown(runs['with'])}")
    return "\n\n".join(parts) + "\n"


def plain(found: dict[str, dict[str, Runs]]) -> dict[str, Any]:
    """Return the outcomes of the known drafts, and of every set its measures, as JSON can hold them."""
    outcomes_ = {
        title: {run: [asdict(one) for one in rows_] for run, rows_ in runs.items()}
        for title, runs in found.get(KNOWN, {}).items()
    }
    measures = {
        name: {run: bars([one for runs in files.values() for one in runs[run]]) for run in READERS}
        for name, files in found.items()
    }
    return {**outcomes_, "measures": measures}


async def measured(sets: Sequence[str]) -> dict[str, dict[str, Runs]]:
    """Play every draft of some sets with the reader and without."""
    reader = open_reader(None)
    readers: dict[str, Reader] = {"with": lambda: reader, "without": lambda: None}
    return {
        name: {
            title: {run: await outcomes(file, readers[run]) for run in READERS} for title, file in SETS[name].items()
        }
        for name in sets
    }


def main() -> None:
    """Play the drafts and write what became of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", choices=tuple(SETS), help="only these drafts; without it both sets")
    parser.add_argument("--markdown", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found = asyncio.run(measured([options.set] if options.set else list(SETS)))
    if options.markdown:
        options.markdown.write_text(report(found), encoding="utf-8")
    if options.json:
        write(options.json, plain(found))
    print(bars_table(found))
    print()
    print(summary({name: runs for files in found.values() for name, runs in files.items()}))


if __name__ == "__main__":
    main()
