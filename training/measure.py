"""Measure a reader on any file in the format of SQuAD: EM, F1, the right sentence, refusals, by question word."""

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.evidence import blank
from training.corpora.proof import sentence_around
from training.evaluate import Figures, auc, exactly, f1, mean
from wenmai.language.spans import Span, meet
from wenmai.minds.offline.questions.question import QuestionParts
from wenmai.minds.offline.reading import read
from wenmai.reader.reader import Reader, open_reader

WORDS = {
    "who": r"谁|何人|哪位|什么人|\bwho\b|\bwhom\b|\bwhose\b",
    "why": r"为什么|为何|怎么会|何以|何故|因何|\bwhy\b",
    "when": r"什么时候|何时|哪年|哪一年|哪天|几时|\bwhen\b",
    "where": r"哪里|哪儿|何处|什么地方|\bwhere\b",
    "how many": r"多少|几[个人次年天岁只条口件]|\bhow (?:many|much|old|long|far)\b",
    "how": r"怎么|怎样|如何|\bhow\b",
    "yes or no": r"吗[？?]?$|是不是|是否|有没有|^(?:is|are|was|were|do|does|did|has|have|had|can|could|will|may)\b",
    "what": r"什么|哪|何|\bwhat\b|\bwhich\b",
}
"""Kinds of questions by their first fitting word."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question on a passage with the texts and the places of its answers; none where it is unanswerable."""

    question: str
    passage: str
    answers: list[tuple[str, Span]]


@dataclass(frozen=True, slots=True)
class Said:
    """What a reader says: words, the span of its sentence, how surely."""

    text: str
    sentence: Span
    score: float


def measure(path: Path, graph: Path | None, *, as_read: bool) -> dict[str, Figures]:
    """Return figures of all questions and of each kind: n, exact, f1, sentence, and auc where some are unanswerable.

    Args:
        path: a file in SQuAD's format, version 1.1 or 2.0.
        graph: the ONNX file; None for the shipped one.
        as_read: as the mind reads, with the words of the question beside the reader's scores; else the reader alone.
    """
    reader = open_reader(None, graph)
    ask = by_mind if as_read else by_reader
    kinds: dict[str, list[tuple[Asked, Said | None]]] = defaultdict(list)
    for asked in questions(path):
        found = ask(reader, asked)
        kinds["all"].append((asked, found))
        kinds[kind_of(asked.question)].append((asked, found))
    return {kind: figures(rows) for kind, rows in kinds.items()}


def questions(path: Path) -> Iterator[Asked]:
    """Return the questions of a file. Raises ValueError where it is in another format."""
    try:
        articles = json.loads(path.read_text("utf-8"))["data"]
        for article in articles:
            for paragraph in article["paragraphs"]:
                passage = paragraph["context"]
                for item in paragraph["qas"]:
                    answers = [(one["text"], one["answer_start"]) for one in item["answers"]]
                    yield Asked(item["question"], passage, [(said, (at, at + len(said))) for said, at in answers])
    except (KeyError, TypeError, json.JSONDecodeError) as error:
        raise ValueError(f"{path} is not in SQuAD's format: {error!r}") from error


def kind_of(question: str) -> str:
    return next((kind for kind, word in WORDS.items() if re.search(word, question.strip().lower())), "other")


def by_reader(reader: Reader, asked: Asked) -> Said | None:
    """Return the reader's best span alone."""
    found = reader.answer(asked.question, asked.passage)
    if found is None:
        return None
    sentence = sentence_around(asked.passage, found.span)
    return Said(asked.passage[slice(*found.span)], sentence, found.margin + found.answerable)


def by_mind(reader: Reader, asked: Asked) -> Said | None:
    """Return what the mind without a model answers from the passage as its only evidence."""
    piece = blank("passage", "p", asked.passage)
    reads = asyncio.run(read(reader, asked.question, QuestionParts.nameless(asked.question), [piece]))
    if not reads:
        return None
    at = asked.passage.find(reads[0].sentence)
    span = (at, at + len(reads[0].sentence)) if at >= 0 else (reads[0].start, reads[0].start + len(reads[0].answer))
    return Said(reads[0].answer, span, reads[0].score)


def figures(rows: Sequence[tuple[Asked, Said | None]]) -> Figures:
    """Return the figures of some questions; of several answers the best counts."""
    answerable = [(asked, said) for asked, said in rows if asked.answers]

    def best(score: Callable[[str, str], float]) -> float:
        return mean(
            [max(score(said.text, text) for text, _ in asked.answers) if said else 0.0 for asked, said in answerable]
        )

    right = [
        float(said is not None and any(meet(said.sentence, span) for _, span in asked.answers))
        for asked, said in answerable
    ]
    found = {"n": float(len(rows)), "exact": best(exactly), "f1": best(f1), "sentence": mean(right)}
    good = [said.score for _, said in answerable if said]
    bad = [said.score for asked, said in rows if not asked.answers and said]
    return found | ({"auc": auc(good, bad)} if good and bad else {})
