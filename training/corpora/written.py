"""Stories, questions and talks that were written for the reader; `training/written/README.md` tells the format."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from training.corpora.chunks import nearest, passage_spans
from training.corpora.proof import sentence_around
from training.examples import FollowUp, Names, Question, Reference
from wenmai.language.spans import Span, meet
from wenmai.reader.inputs import GAP, Turn

KINDS = {"p": 0, "l": 1, "o": 2}
_MARK = re.compile(r"\{([^{}|]*)\|([^{}|]*)\}")
_TURN = re.compile(r"\d+ (.*)")


@dataclass(slots=True)
class Story:
    """One story as it was written: marked text, (question, answer) rows and talks of (question, answer) rows."""

    title: str
    language: str
    lines: list[str] = field(default_factory=list)
    questions: list[list[str]] = field(default_factory=list)
    talks: list[list[list[str]]] = field(default_factory=list)


def stories(path: Path) -> list[Story]:
    """Read a file of stories."""
    found: list[Story] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        line = line.strip()
        if line.startswith("=== "):
            title, language, *_ = [part.strip() for part in line[4:].split("|")]
            found.append(Story(title, language))
        elif line:
            _add(found[-1], line)
    return found


def _add(story: Story, line: str) -> None:
    """Take one line of a story."""
    if line.startswith("--- "):
        story.lines.append(line[4:])
    elif line.startswith(("?? ", "?! ")):
        story.questions.append([unmarked(line[3:].strip())[0], ""])
    elif line.startswith("== "):
        story.questions[-1][1] = line[3:].strip()
    elif line.startswith(">>"):
        story.talks.append([])
    elif story.talks and (turn := _TURN.fullmatch(line)):
        story.talks[-1].append([turn.group(1).strip(), ""])
    elif story.talks and line.startswith("= "):
        story.talks[-1][-1][1] = line[2:].strip()
    else:
        story.lines.append(line)


def unmarked(marked: str) -> tuple[str, list[tuple[Span, str]]]:
    """Return a text without its marks, and the span and the label of each."""
    parts, found, at, length = [], [], 0, 0
    for mark in _MARK.finditer(marked):
        before, surface = marked[at : mark.start()], mark.group(1)
        start = length + len(before)
        parts += [before, surface]
        length = start + len(surface)
        found.append(((start, length), mark.group(2)))
        at = mark.end()
    return "".join([*parts, marked[at:]]), found


def names(story: Story) -> Names:
    """Return the names of a story's text."""
    text, marks = unmarked("\n".join(story.lines))
    return Names(text, [(start, end, KINDS.get(label)) for (start, end), label in marks])


def questions(story: Story, text: str, answers: list[Span | None], random: Random) -> Iterator[Question]:
    """Return each question on the passage that answers, and on the nearest that do not.

    Args:
        story: the questions.
        text: what they ask about.
        answers: the span of each answer in the text; None where the story gives none.
        random: chooses the negatives.
    """
    spans = passage_spans(text, story.language)
    passages = [text[slice(*span)] for span in spans]
    search = nearest(passages)
    for (question, _), answer in zip(story.questions, answers, strict=True):
        words = text[slice(*answer)] if answer else None
        near = [passages[at] for at in search(question, 6) if words is None or words not in passages[at]]
        others = near[:1]
        if answer:
            yield _answered(question, text, answer, spans)
        else:
            others += random.sample(near[1:4], min(1, len(near[1:4])))
        for passage in others:
            yield Question(question, passage, answerable=False)


def _answered(question: str, text: str, answer: Span, spans: list[Span]) -> Question:
    own = next(span for span in spans if meet(span, answer))
    own = (own[0], max(own[1], answer[1]))
    proof = sentence_around(text, answer)
    base = own[0]
    within = (max(proof[0] - base, 0), min(proof[1], own[1]) - base)
    return Question(question, text[slice(*own)], True, (answer[0] - base, answer[1] - base), within)


def answer_span(answer: str, text: str) -> Span | None:
    """Return where an answer of the file stands in the text; None for an empty one."""
    words, _, piece = (part.strip() for part in answer.partition("@@"))
    if not words:
        return None
    at = text.index(piece) + piece.index(words) if piece else text.index(words)
    return at, at + len(words)


def follow_ups(story: Story) -> Iterator[FollowUp]:
    """Return the turns of a story's talks, but for the first of each."""
    for talk in story.talks:
        said: list[Turn] = []
        for marked, answer in talk:
            question, marks = unmarked(marked)
            if said:
                references = [_reference(span, label) for span, label in marks]
                yield FollowUp(question, list(said), references)
            said.append(Turn(question, answer))


def _reference(span: Span, label: str) -> Reference:
    return Reference(span if span[1] > span[0] else GAP, tuple(label.split("+")))
