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
from wenmai.reader.layout import NameKind

KINDS = {"p": NameKind.PERSON, "l": NameKind.PLACE, "o": NameKind.ORGANISATION}
LANGUAGES = ("zh", "en")
_MARK = re.compile(r"\{([^{}|]*)\|([^{}|]*)\}")
_TURN = re.compile(r"\d+ (.*)")
_MARKED_LINE = re.compile(r"\?[?!]|=|---")
SHOWN = 60
"""Characters of a wrong line in an error."""


@dataclass(slots=True)
class Story:
    """One story as it was written: marked text, (question, answer) rows and talks of (question, answer) rows."""

    title: str
    language: str
    lines: list[str] = field(default_factory=list)
    questions: list[list[str]] = field(default_factory=list)
    talks: list[list[list[str]]] = field(default_factory=list)


def stories(path: Path) -> list[Story]:
    """Read a file of stories. Raises ValueError with file and line for one that does not fit where it stands."""
    found: list[Story] = []
    for number, line in enumerate(map(str.strip, path.read_text(encoding="utf-8").splitlines()), 1):
        try:
            if line.startswith("=== "):
                found.append(_begun(line))
            elif line:
                _add(found[-1], line)
        except (ValueError, IndexError) as error:
            reason = error if isinstance(error, ValueError) else "nothing stands before it that it belongs to"
            raise ValueError(f"{path.name}:{number}: {reason}: {line[:SHOWN]!r}") from error
    return found


def _begun(line: str) -> Story:
    """Return the story that a line begins."""
    title, language, *_ = [*(part.strip() for part in line[4:].split("|")), ""]
    if not title or language not in LANGUAGES:
        raise ValueError(f"a story begins with === title | {' or '.join(LANGUAGES)} | manner")
    return Story(title, language)


def _add(story: Story, line: str) -> None:
    """Take one line of a story. Raises IndexError for an answer without a question, ValueError for an unknown mark."""
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
    elif _MARKED_LINE.match(line):
        raise ValueError("no such mark begins a line")
    else:
        story.lines.append(line)


def unmarked(marked: str) -> tuple[str, list[tuple[Span, str]]]:
    """Return a text without its marks, and the span and the label of each. Raises ValueError for half a mark."""
    parts, found, at, length = [], [], 0, 0
    for mark in _MARK.finditer(marked):
        before, surface = marked[at : mark.start()], mark.group(1)
        start = length + len(before)
        parts += [before, surface]
        length = start + len(surface)
        found.append(((start, length), mark.group(2)))
        at = mark.end()
    text = "".join([*parts, marked[at:]])
    if broken := re.search(r".{0,20}[{}].{0,20}", text):
        raise ValueError(f"braces that are no mark {{words|label}}: {broken[0]!r}")
    return text, found


def names(story: Story) -> Names:
    """Return the names of a story's text."""
    text, marks = unmarked("\n".join(story.lines))
    if unknown := {label for _, label in marks} - KINDS.keys():
        raise ValueError(f"{story.title!r} marks names as {sorted(unknown)}, not as one of {list(KINDS)}")
    return Names(text, [(start, end, KINDS[label]) for (start, end), label in marks])


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
    own = next((span for span in spans if meet(span, answer)), None)
    if own is None:
        raise ValueError(f"no passage holds the answer to {question!r}")
    own = (own[0], max(own[1], answer[1]))
    proof = sentence_around(text, answer)
    base = own[0]
    within = (max(proof[0] - base, 0), min(proof[1], own[1]) - base)
    return Question(question, text[slice(*own)], True, (answer[0] - base, answer[1] - base), within)


def answer_spans(story: Story, text: str) -> list[Span | None]:
    """Return where each answer of a story stands in its text. Raises ValueError for one that does not."""
    return [_answer_span(story, answer, text) for _, answer in story.questions]


def _answer_span(story: Story, answer: str, text: str) -> Span | None:
    """Return where an answer of the file stands in the text; None for an empty one."""
    words, _, piece = (part.strip() for part in answer.partition("@@"))
    if not words:
        return None
    piece = piece or words
    if piece not in text or words not in piece:
        raise ValueError(f"{story.title!r} does not hold its answer {answer!r}")
    at = text.index(piece) + piece.index(words)
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
