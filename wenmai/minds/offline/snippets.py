"""The part of a text that answers: its best sentence with its neighbours."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from nodes.results.citations import BARE, CONTEXT, LISTED
from nodes.sentences import on_one_line, sentence_spans
from wenmai.minds.offline.matching import Heard, Term, Weights

CUE_BONUS = 0.25  # a sentence that has what the question asks for: a number, a place, a quotation
NEIGHBOUR = 0.5  # share of a neighbour's score that a sentence gets


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a passage at `[start:end]` of its text, with its score."""

    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class Cue:
    """What a sentence that answers has, and what it is worth."""

    pattern: re.Pattern[str] | None
    bonus: float = CUE_BONUS


def unmarked(text: str) -> str:
    """Return a quotation whose own [E1], (E1, E2) and [2] cannot be taken for marks of the answer."""
    for way in (LISTED, CONTEXT):  # each is read as a mark in any of its brackets, but not in these
        text = way.sub(lambda match: f"〔{match[0][1:-1]}〕", text)
    return BARE.sub(r"［\1］", text)


def excerpt(text: str, terms: Sequence[Term], pool: Weights, cue: Cue, most: int) -> str:
    """Return the part of a text that answers: its best sentence, grown by its better neighbours up to `most`."""
    sentences = scored_sentences(text, terms, pool, cue)
    first = last = max(range(len(sentences)), key=lambda i: (sentences[i].score, -i))
    while True:
        sides = [i for i in (first - 1, last + 1) if 0 <= i < len(sentences)]
        fitting = [i for i in sides if grown(sentences, first, last, i) <= most]
        if not fitting:
            break
        side = max(fitting, key=lambda i: (sentences[i].score, i))
        first, last = min(first, side), max(last, side)
    return on_one_line(text[sentences[first].start : sentences[last].end])


def grown(sentences: Sequence[Sentence], first: int, last: int, side: int) -> int:
    """Return the length of a quotation with one more sentence."""
    return sentences[max(last, side)].end - sentences[min(first, side)].start


def scored_sentences(text: str, terms: Sequence[Term], pool: Weights, cue: Cue) -> list[Sentence]:
    """Return the sentences of a text with their scores; one with the cue has what the question asks for."""
    spans = sentence_spans(text) or [(0, len(text))]
    heard = Heard.of(text, terms, pool)
    rows = []
    for start, end in spans:
        sentence = text[start:end]
        bonus = cue.bonus if cue.pattern and cue.pattern.search(sentence) else 0.0
        score = heard.score(sentence, start) + bonus
        rows.append(Sentence(start, end, score if sentence.strip() else -1.0))
    return [Sentence(row.start, row.end, row.score + NEIGHBOUR * beside(rows, at)) for at, row in enumerate(rows)]


def beside(rows: Sequence[Sentence], at: int) -> float:
    """Return the better score of a sentence's neighbours: an answer often stands beside the words of its question."""
    return max((row.score for row in [*rows[max(0, at - 1) : at], *rows[at + 1 : at + 2]]), default=0.0)
