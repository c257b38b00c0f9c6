"""Make the windows to train on, and the examples that are kept for measuring."""

import json
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from random import Random

from training.corpora import fairytales, litbank, marked, novels, squad, talks, written
from training.corpora.rows import rows
from training.examples import Example, FollowUp, Names, Question
from training.windows import Window, follow_up_windows, name_windows, packed, question_window
from wenmai.embedders.e5.weights import open_weights
from wenmai.reader.inputs import Inputs
from wenmai.reader.reader import open_inputs

XQUAD_MEASURED = frozenset({0, 3, 5, 6, 14, 22, 23, 24, 25, 34, 37, 39, 45})
"""Articles of XQuAD (five passages each, in order) that `squad2_dev_zh` does not hold."""
PASSAGES_OF_ARTICLE = 5
OF_A_MEASURED_BOOK = "95_"
"""The piece of LitBank that is a part of a book in `books`."""
WRITTEN = Path(__file__).parent / "written"
QUESTIONS = Path(__file__).parents[1] / "benchmarks" / "questions"
Source = tuple[str, bool, Example]
"""Name of the corpus, whether the example is kept for measuring, the example."""


def prepare(data: Path, out: Path, seed: int) -> dict[str, int]:
    """Write the windows of each corpus and `measured.jsonl`; return the number of windows by corpus.

    Args:
        data: the folder of public data.
        out: where to write.
        seed: of every choice.
    """
    random, inputs = Random(seed), open_inputs(open_weights(), None)
    windows: dict[str, list[Window]] = defaultdict(list)
    out.mkdir(parents=True, exist_ok=True)
    with (out / "measured.jsonl").open("w", encoding="utf-8") as measured:
        for corpus, is_measured, example in sources(data, random):
            if is_measured:
                row = {"corpus": corpus, "kind": type(example).__name__} | asdict(example)
                measured.write(json.dumps(row, ensure_ascii=False) + "\n")
            else:
                windows[corpus].extend(_windows(inputs, example, random))
    for corpus, found in windows.items():
        packed(found).save(out / f"{corpus}.npz")
    return {corpus: len(found) for corpus, found in windows.items()}


def _windows(inputs: Inputs, example: Example, random: Random) -> Iterable[Window]:
    match example:
        case Question():
            return [question_window(inputs, example, random)]
        case Names():
            return name_windows(inputs, example)
        case FollowUp():
            return follow_up_windows(inputs, example)


def sources(data: Path, random: Random) -> Iterator[Source]:
    """Return the examples of all corpora."""
    yield from _squads(data)
    for part, kept in (("train", False), ("test", False), ("val", True)):
        for question in fairytales.questions(data / "reading" / f"fairytaleqa_{part}.jsonl", random):
            yield "fairytaleqa", kept, question
    for question in novels.questions(data, QUESTIONS, random):
        yield "novels", False, question
    for key, follow_up in talks.kdconv(data / "kdconv" / "followup_questions_dev.jsonl"):
        yield "kdconv", _one_in(5, key), follow_up
    for name in ("cast", "mtrag"):
        for key, follow_up in talks.rewrites(data / "rewrites_en" / f"{name}.jsonl"):
            yield name, name == "mtrag" and _one_in(3, key), follow_up
    for path in sorted((data / "litbank" / "coref" / "tsv").glob("*.txt")):
        if not path.stem.startswith(OF_A_MEASURED_BOOK):
            yield "litbank", _one_in(8, path.name), litbank.names(path)
    yield from _written(data, random)


def _squads(data: Path) -> Iterator[Source]:
    """Return reading comprehension; the trial part of CMRC, DRCD's test and 13 articles of XQuAD are measured."""
    reading = data / "reading"
    for name in ("cmrc2018_dev", "drcd_dev", "drcd_test", "squad2_dev_zh"):
        for row in rows(reading / f"{name}.jsonl"):
            yield from ((name, name == "drcd_test", question) for question in squad.questions(row))
    for name in ("xquad_zh", "xquad_en"):
        for at, row in enumerate(rows(reading / f"{name}.jsonl")):
            kept = at // PASSAGES_OF_ARTICLE in XQUAD_MEASURED
            yield from ((name, kept, question) for question in squad.questions(row))
    for row in squad.trial(data / "cmrc2018" / "cmrc2018_trial.json"):
        yield from (("cmrc2018_trial", True, question) for question in squad.questions(row))


def _written(data: Path, random: Random) -> Iterator[Source]:
    """Return what was written for the reader; one story in eight is measured, with all that was asked about it."""
    pieces = data / "litbank" / "coref" / "tsv"
    for path in sorted(WRITTEN.glob("*.txt")):
        if path.stem.startswith("classic_names"):
            yield from (("marked", _one_in(8, names.text), names) for names in marked.names(path, data / "novels_zh"))
            continue
        for story in written.stories(path):
            corpus, kept = f"written_{story.language}", _one_in(8, story.title)
            yield from ((f"{corpus}_questions", kept, question) for question in _asked(story, pieces, random))
            if story.lines:
                yield f"{corpus}_names", kept, written.names(story)
            yield from ((f"{corpus}_talks", kept, follow_up) for follow_up in written.follow_ups(story))


def _asked(story: written.Story, pieces: Path, random: Random) -> Iterator[Question]:
    """Return the questions on a story, or on the piece of LitBank that it names."""
    if story.lines:
        text, _ = written.unmarked("\n".join(story.lines))
        answers = written.answer_spans(story, text)
    elif story.questions:
        piece = litbank.read(pieces / story.title)
        raw = (pieces / story.title).read_text(encoding="utf-8")
        text, answers = piece.text, [span and piece.printed(*span) for span in written.answer_spans(story, raw)]
    else:
        return
    yield from written.questions(story, text, answers, random)


def _one_in(count: int, key: str) -> bool:
    """Return True for one key in `count`, the same on every machine."""
    return zlib.crc32(key.encode()) % count == 0
