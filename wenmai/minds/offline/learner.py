"""What a turn taught, by rule: what the user says of himself in plain words, and a summary of an answered question."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from nodes.lessons import LearnRequest, Lesson, LessonKind
from nodes.results.citations import letters
from tools.memory.records import Memory
from wenmai.minds.offline.earlier import ASKS

ANSWER_CHARACTERS = 300
CLAUSE = re.compile(r"[^。！？!?；;\n.]+[。！？!?；;.]?")
FAVOURITE = re.compile(r"我最喜欢的([^，。是]{1,10})是|my favou?rite ([\w ]{1,20}) is", re.IGNORECASE)
# What a user says of himself: kind, slot (a newer statement takes the place of an older one), pattern.
PATTERNS: tuple[tuple[LessonKind, str | None, str], ...] = (
    ("fact", "name", r"我(?:的名字)?(?:叫|名叫|是叫)[^，。]|\bmy name is \w"),
    ("fact", "home", r"我(?:现在|已经)?(?:住在?|搬到了?)[^，。]|\bi (?:now )?live in \w|\bi (?:have )?moved to \w"),
    ("fact", "job", r"我(?:现在)?在[^，。]{1,20}(?:工作|上班)|\bi (?:now )?work (?:at|for|as) \w"),
    ("preference", None, FAVOURITE.pattern),
    ("preference", None, r"我(?:最|更|比较|特别|很|一直)?不?(?:喜欢|讨厌|偏好|习惯|爱)[^，。]"),
    ("preference", None, r"\bi (?:really |do not |don't )?(?:like|love|prefer|hate|dislike) \w"),
    ("decision", None, r"(?:决定|约定|说好)了?[^。]{2}|\b(?:i|we) (?:have )?(?:decided|agreed) \w"),
    ("preference", None, r"(?:记住|以后|今后)[^。]{2}|\b(?:remember that|from now on) ?\w"),
)


@dataclass(frozen=True, slots=True)
class OfflineLearner:
    """Needs no model; it does not understand, so that it keeps the user's own words."""

    async def learn(self, request: LearnRequest) -> list[Lesson]:
        """Return statements of the user, else a summary of the turn."""
        said = [superseding(lesson, request.known) for lesson in statements(request.question)]
        if said or not request.answer:
            return said
        return [superseding(summary(request), request.known)]


def statements(question: str) -> Iterator[Lesson]:
    """Give what the user says of himself; a question says nothing."""
    for match in CLAUSE.finditer(question):
        clause = match[0].strip()
        if ASKS.search(clause):
            continue
        for kind, slot, pattern in PATTERNS:
            if re.search(pattern, clause, re.IGNORECASE):
                yield Lesson(kind=kind, content=clause, summary=clause, slot=slot or favourite(clause))
                break


def favourite(clause: str) -> str | None:
    """Return what of the user's a favourite is, None where that is not said."""
    found = FAVOURITE.search(clause)
    return f"favourite {(found[1] or found[2]).strip().lower()}" if found else None


def summary(request: LearnRequest) -> Lesson:
    """Return the turn in short; the same question answered anew takes the place of the older answer."""
    answer = " ".join(request.answer.split())[:ANSWER_CHARACTERS]
    asked, told = ("问", "答") if request.language == "zh" else ("Q", "A")
    return Lesson(
        kind="summary",
        content=f"{asked}: {request.resolved}\n{told}: {answer}",
        summary=request.resolved,
        slot=f"question {letters(request.resolved)}",
    )


def superseding(lesson: Lesson, known: Sequence[Memory]) -> Lesson:
    """Return a lesson with the keys of what is known of the same thing."""
    if lesson.slot is None:
        return lesson
    keys = [one.memory_key for one in known if one.content_metadata.get("slot") == lesson.slot]
    return replace(lesson, supersedes=tuple(keys))
