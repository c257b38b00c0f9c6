"""From logits to spans: answers, sentences, names, references."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from wenmai.language.spans import Span, meet
from wenmai.reader.inputs import Input
from wenmai.reader.layout import BEGIN, INSIDE, NAME_TAGS, SPAN_TAGS, Column, Segment, TaggedSpan

LONGEST_ANSWER = 48  # tokens of an answer
Numbers = NDArray[np.float32]
Logits = Numbers  # (tokens, COLUMNS) of one input


@dataclass(frozen=True, slots=True)
class AnswerSpan:
    """The best span of a passage: half-open character offsets and log odds.

    Attributes:
        span: of the answer in the passage.
        margin: log odds of this span against "no answer here" from the span head.
        answerable: log odds that the passage answers at all.
        sentence_scores: log odds of each token of the passage to be in a sentence that answers, with its offsets.
    """

    span: Span
    margin: float
    answerable: float
    sentence_scores: list[tuple[int, int, float]]

    def sentence(self, span: Span) -> float:
        """Return the mean log odds of a sentence's tokens."""
        scores = [score for start, end, score in self.sentence_scores if meet((start, end), span)]
        return float(np.mean(scores)) if scores else -np.inf


def answer(made: Input, logits: Logits) -> AnswerSpan | None:
    """Return the best answer in the passage of an input, the span with the largest sum; None for an empty passage."""
    passage = _of(made, Segment.PASSAGE)
    if not passage:
        return None
    start, end = logits[passage, Column.START], logits[passage, Column.END]
    places = np.arange(len(passage))
    distance = places[None, :] - places[:, None]
    sums = np.where((distance >= 0) & (distance < LONGEST_ANSWER), start[:, None] + end[None, :], -np.inf)
    first, last = (int(place) for place in np.unravel_index(int(sums.argmax()), sums.shape))
    return AnswerSpan(
        span=(made.spans[passage[first]][0], made.spans[passage[last]][1]),
        margin=float(start[first] + end[last]) - float(logits[0, Column.START] + logits[0, Column.END]),
        answerable=float(logits[0, Column.ANY_ANSWER]),
        sentence_scores=[(*made.spans[at], float(logits[at, Column.SENTENCE])) for at in passage],
    )


def names(made: Input, logits: Logits) -> list[TaggedSpan]:
    """Return the names of a text; `kind` is a `NameKind`."""
    return _tagged(made, _of(made, Segment.TEXT), logits[:, Column.NAME : Column.NAME + NAME_TAGS])


def mentions(made: Input, logits: Logits) -> list[TaggedSpan]:
    """Return the words of a follow-up that refer to the talk."""
    return _tagged(made, _of(made, Segment.FOLLOW_UP), logits[:, Column.MENTION : Column.MENTION + SPAN_TAGS])


def _tagged(made: Input, tokens: Sequence[int], logits: Logits) -> list[TaggedSpan]:
    """Return the runs of tokens by their likeliest tags: outside, then a begin and an inside tag of each kind."""
    probabilities = _softmax(logits[tokens])
    tags = probabilities.argmax(axis=1)
    kinds = [(-1 if tag == 0 else (int(tag) - 1) // 2, tag > 0 and tag % 2 == BEGIN) for tag in tags]
    return _runs([made.spans[at] for at in tokens], kinds, probabilities.max(axis=1))


def antecedents(made: Input, logits: Logits) -> list[TaggedSpan]:
    """Return the places of the talk that the marked words can stand for: at least half as likely as the likeliest."""
    tokens = _of(made, Segment.TALK)
    if not tokens:
        return []
    probabilities = _softmax(logits[tokens, Column.ANTECEDENT : Column.ANTECEDENT + SPAN_TAGS])
    inside = 1 - probabilities[:, 0]
    taken = inside >= inside.max() / 2
    begins = probabilities[:, BEGIN] > probabilities[:, INSIDE]
    kinds = [(0 if here else -1, bool(begin)) for here, begin in zip(taken, begins, strict=True)]
    return _runs([made.spans[at] for at in tokens], kinds, np.asarray(inside, np.float32))


def _runs(spans: Sequence[Span], kinds: Sequence[tuple[int, bool]], sure: Numbers) -> list[TaggedSpan]:
    """Join tokens of one kind; a begin tag, or another kind, begins a new one."""
    bounds = [0]
    for at, (before, now) in enumerate(pairwise(kinds), 1):
        if now[1] or now[0] != before[0]:
            bounds.append(at)
    bounds.append(len(kinds))
    return [
        TaggedSpan(spans[low][0], spans[high - 1][1], kinds[low][0], float(sure[low:high].mean()))
        for low, high in pairwise(bounds)
        if high > low and kinds[low][0] >= 0
    ]


def _of(made: Input, segment: Segment) -> list[int]:
    """Return the places of the tokens of a kind, without marks."""
    return [at for at, kind in enumerate(made.segments) if kind == segment and made.spans[at][1]]


def _softmax(values: Numbers) -> Numbers:
    shifted = np.exp(values - values.max(axis=-1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=-1, keepdims=True), np.float32)
