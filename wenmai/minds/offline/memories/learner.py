"""What a turn taught, by rule: what the user says of himself in plain words, and a summary of an answered question."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from nodes.results.citations import letters
from nodes.roles import LearnRequest, Lesson, LessonKind
from tools.memory.records import Memory
from wenmai.language.segmenting import cut
from wenmai.minds.offline.memories.earlier import ASKS
from wenmai.minds.offline.questions.speech import unquoted

ANSWER_CHARACTERS = 300
CLAUSE = re.compile(r"[^。！？!?；;\n.]+[。！？!?；;.]?")
FAVOURITE = re.compile(r"我最喜欢的([^，。是]{1,10})是|my favou?rite ([\w ]{1,20}) is", re.IGNORECASE)
_ADVERBS = r"(?:已经?|都|现在|今天|刚才?|最后|终于|一起|也|还是|[和跟与同][^，。]{1,6}?)*"
# What a user says of himself: kind, slot (a newer statement takes the place of an older one), pattern.
PATTERNS: tuple[tuple[LessonKind, str | None, str], ...] = (
    ("fact", "name", r"我(?:的名字)?(?:叫|名叫|是叫)[^，。了他她你人]|\bmy name is \w"),
    ("fact", "home", r"我(?:现在|已经)?(?:住在?|搬到了?)[^，。]|\bi (?:now )?live in \w|\bi (?:have )?moved to \w"),
    ("fact", "job", r"我(?:现在)?在[^，。]{1,20}(?:工作|上班)|\bi (?:now )?work (?:at|for|as) \w"),
    ("preference", None, FAVOURITE.pattern),
    ("preference", None, r"我(?:最|更|比较|特别|很|一直)?不?(?P<verb>喜欢|讨厌|偏好|习惯|爱)[^，。]"),
    ("preference", None, r"\bi (?:really |do not |don't )?(?:like|love|prefer|hate|dislike) \w"),
    ("decision", None, rf"[我咱]们?{_ADVERBS}(?:决定|约定|说好)了?[^。]|\b(?:i|we) (?:have )?(?:decided|agreed) \w"),
    ("preference", None, r"^(?:请|你|要)*(?:记住|从?(?:以后|今后)(?:请|你|都|只|别|不|要|用|叫我|每))[^。]"),
    ("preference", None, r"^(?:please )?remember that \w|^from now on,? (?:please|you|i|always|only|don't|answer)\b"),
)


@dataclass(frozen=True, slots=True)
class OfflineLearner:
    """Needs no model; it does not understand, so that it keeps the user's own words."""

    async def learn(self, request: LearnRequest) -> list[Lesson]:
        """Return statements of the user, else a summary of the turn."""
        said = [superseding(lesson, request.known) for lesson in statements(request.question, request.names)]
        if said or not request.answer:
            return said
        return [superseding(summary(request), request.known)]


def statements(question: str, names: Iterable[str] = ()) -> Iterator[Lesson]:
    """Give what the user says of himself; questions, quotations and what stands in a name (我爱罗) say nothing."""
    shown = unquoted(question)
    for name in names:
        shown = shown.replace(name, "_" * len(name))
    for part in CLAUSE.finditer(shown):
        said, clause = part[0].strip(), question[slice(*part.span())].strip()
        for kind, slot, pattern in () if ASKS.search(said) else PATTERNS:
            found = re.search(pattern, said, re.IGNORECASE)
            if found and found.groupdict().get("verb", said) in (said, *cut(said)):
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
