"""Examples as windows of tokens with labels, and their file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from training.examples import FollowUp, Names, Question, Reference
from wenmai.language.spans import Span, meet
from wenmai.reader.inputs import Input, Inputs, Piece, talk_text
from wenmai.reader.layout import BEGIN, INSIDE, OUTSIDE, PASSAGE_ROOM, TEXT_ROOM, Segment

UNKNOWN = -1
TASKS = ("sentence", "name", "mention", "antecedent")
"""Labels that each token has; `UNKNOWN` counts for nothing."""
FACTS = ("start", "end", "answer", "reference", "gap")
"""Labels that a window has."""


@dataclass(slots=True)
class Window:
    """One input with its labels."""

    made: Input
    tokens: dict[str, list[int]] = field(default_factory=dict)
    facts: dict[str, int] = field(default_factory=dict)


def question_window(inputs: Inputs, example: Question, random: Random) -> Window:
    """Return a window that holds the answer at a random place, or a random window where there is none."""
    pieces = inputs.tokenizer.locate(example.passage)
    asked = inputs.asked(example.question)
    kept = _cut(pieces, example.answer or example.proof, PASSAGE_ROOM - len(asked), random)
    made = inputs.question(asked, kept)
    whole = len(kept) == len(pieces)
    is_known = whole or not example.answerable or example.answer or example.proof
    window = Window(made, facts={"answer": int(example.answerable)} if is_known else {})
    passage = [at for at, kind in enumerate(made.segments) if kind == Segment.PASSAGE and made.spans[at][1]]

    def within(span: Span | None) -> list[int]:
        return [at for at in passage if span and meet(made.spans[at], span)]

    if not example.answerable:
        window.facts |= {"start": 0, "end": 0}
    elif answer := within(example.answer):
        window.facts |= {"start": answer[0], "end": answer[-1]}
    if not example.answerable or example.proof:
        labels = dict.fromkeys(passage, 0) | dict.fromkeys(within(example.proof), 1)
        window.tokens["sentence"] = [labels.get(at, UNKNOWN) for at in range(len(made.ids))]
    return window


def name_windows(inputs: Inputs, example: Names) -> Iterator[Window]:
    """Cut a text into windows, each token tagged."""
    pieces = inputs.tokenizer.locate(example.text)
    for at in range(0, len(pieces), TEXT_ROOM):
        made = inputs.text(pieces[at : at + TEXT_ROOM])
        tags = [OUTSIDE if span[1] else UNKNOWN for span in made.spans]
        for start, end, kind in example.names:
            inside = [at for at, span in enumerate(made.spans) if span[1] and meet(span, (start, end))]
            for place, token in enumerate(inside):
                tags[token] = UNKNOWN if kind is None else (1 + 2 * kind + (place > 0))
        yield Window(made, {"name": tags})


def follow_up_windows(inputs: Inputs, example: FollowUp) -> Iterator[Window]:
    """Return the window that finds what refers, and one for each reference."""
    talk = talk_text(example.talk)
    if example.found:
        yield _finding(inputs, example, talk)
    for reference in example.references:
        window = _resolving(inputs, example.question, talk, reference)
        if window and Segment.MENTION in window.made.segments:
            yield window


def _finding(inputs: Inputs, example: FollowUp, talk: str) -> Window:
    made = inputs.follow_up(example.question, talk)
    tags = _tags(
        made, Segment.FOLLOW_UP, [reference.mention for reference in example.references if reference.mention[1]]
    )
    gap = any(not reference.mention[1] for reference in example.references)
    return Window(made, {"mention": tags}, {"reference": int(bool(example.references)), "gap": int(gap)})


def _resolving(inputs: Inputs, question: str, talk: str, reference: Reference) -> Window | None:
    made = inputs.follow_up(question, talk, reference.mention)
    places = [span for name in reference.antecedents for span in occurrences(talk, name)]
    tags = _tags(made, Segment.TALK, places)
    return Window(made, {"antecedent": tags}) if BEGIN in tags else None


def occurrences(text: str, part: str) -> list[Span]:
    """Return where a string stands in a text as whole words, case aside."""
    found, at, low, wanted = [], 0, text.lower(), part.lower()
    while wanted and (at := low.find(wanted, at)) >= 0:
        end = at + len(part)
        if not (_is_letter(low[at - 1 : at]) and _is_letter(low[at : at + 1])) and not (
            _is_letter(low[end - 1 : end]) and _is_letter(low[end : end + 1])
        ):
            found.append((at, end))
        at = end
    return found


def _is_letter(letter: str) -> bool:
    """Return True for a letter of a script that parts its words by blanks."""
    return letter.isalnum() and letter < "\u2e80"


def _tags(made: Input, segment: Segment, places: Sequence[Span]) -> list[int]:
    tags = [
        OUTSIDE if kind == segment and span[1] else UNKNOWN
        for kind, span in zip(made.segments, made.spans, strict=True)
    ]
    for place in places:
        inside = [at for at, tag in enumerate(tags) if tag == OUTSIDE and meet(made.spans[at], place)]
        for order, token in enumerate(inside):
            tags[token] = INSIDE if order else BEGIN
    return tags


def _cut(pieces: list[Piece], wanted: Span | None, room: int, random: Random) -> list[Piece]:
    """Return at most `room` pieces that hold the wanted span."""
    if len(pieces) <= room:
        return pieces
    first, last = 0, len(pieces) - room
    if wanted:
        inside = [at for at, piece in enumerate(pieces) if meet((piece[1], piece[2]), wanted)]
        if inside:
            first, last = max(0, inside[-1] - room + 1), min(last, inside[0])
    at = random.randint(min(first, last), max(first, last))
    return pieces[at : at + room]


@dataclass(frozen=True, slots=True)
class WindowFile:
    """Windows as flat arrays; `starts` (windows + 1,) says where each begins in the arrays of tokens."""

    starts: NDArray[np.int64]
    ids: NDArray[np.int32]
    segments: NDArray[np.int8]
    tokens: NDArray[np.int8]  # (tokens, len(TASKS))
    facts: NDArray[np.int16]  # (windows, len(FACTS))

    def save(self, path: Path) -> None:
        """Write the arrays."""
        np.savez(path, starts=self.starts, ids=self.ids, segments=self.segments, tokens=self.tokens, facts=self.facts)

    @classmethod
    def load(cls, path: Path) -> "WindowFile":
        """Read the arrays."""
        with np.load(path) as arrays:
            return cls(**{name: arrays[name] for name in arrays.files})


def packed(windows: Sequence[Window]) -> WindowFile:
    """Return windows as flat arrays."""
    lengths = [len(window.made.ids) for window in windows]
    tokens = [
        np.array([window.tokens.get(task, [UNKNOWN] * length) for task in TASKS], np.int8).T
        for window, length in zip(windows, lengths, strict=True)
    ]
    return WindowFile(
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.concatenate([np.array(window.made.ids, np.int32) for window in windows]),
        np.concatenate([np.array(window.made.segments, np.int8) for window in windows]),
        np.concatenate(tokens),
        np.array([[window.facts.get(fact, UNKNOWN) for fact in FACTS] for window in windows], np.int16),
    )
