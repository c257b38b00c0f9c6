"""FairytaleQA: questions of teachers on children's stories; other sections of a story are negatives."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

from training.corpora.chunks import nearest
from training.corpora.proof import sentence_around
from training.corpora.rows import Row, rows
from training.examples import Question
from wenmai.language.spans import Span

NEGATIVES = 0.6
"""Share of questions that are also asked of a section without the answer."""


def questions(path: Path, random: Random) -> Iterator[Question]:
    """Return questions with the section that answers, and some with one that does not."""
    for story in rows(path):
        sections: dict[str, str] = story["sections"]
        keys = list(sections)
        search = nearest(list(sections.values()))
        for item in story["questions"]:
            own = [key for key in item["sections"] if key in sections]
            if len(own) != 1 or not item["answers"]:
                continue
            yield _answered(item, sections[own[0]])
            if random.random() < NEGATIVES:
                others = [keys[at] for at in search(item["question"], 4) if keys[at] not in item["sections"]]
                others = [key for key in others if item["answers"][0].strip(" .").lower() not in sections[key].lower()]
                if others:
                    yield Question(item["question"], sections[others[0]], answerable=False)


def _answered(item: Row, section: str) -> Question:
    """Return a question with its answer's span, where the answer is one."""
    span = answer_span(item["answers"][0], section) if item["explicit"] else None
    return Question(
        item["question"], section, True, span, sentence_around(section.replace("\n", " "), span) if span else None
    )


def answer_span(answer: str, section: str) -> Span | None:
    """Return where an answer stands in its section, line breaks aside."""
    wanted = " ".join(answer.split()).strip(" .").lower()
    at = section.replace("\n", " ").lower().find(wanted)
    return (at, at + len(wanted)) if wanted and at >= 0 else None
