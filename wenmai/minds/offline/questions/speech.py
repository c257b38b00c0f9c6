"""Who said it: a question that quotes words is answered from the passage that has them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from nodes.results.citations import letters
from nodes.roles import AnswerReader, ReadAnswer
from state.schema import Evidence
from wenmai.language.narration import narrated
from wenmai.language.patterns import patterns
from wenmai.language.spans import Span, meet
from wenmai.minds.offline.calibration import REFUSAL, Signs, answered, calibrated
from wenmai.minds.offline.sentences import Numbered

_QUOTED = re.compile(r"[“「『\"‘]([^“”「」『』\"]{1,120})[”」』\"’]|'([^']{12,120})'(?!\w)")
SAYINGS = patterns("wenmai.minds.offline.questions", "sayings.toml")
_ASKS_WHO = SAYINGS["who"]
_SAYING = SAYINGS["saying"]
_TO = SAYINGS["spoken_to"]
LEAST_WORDS = 4
"""Characters of quoted words; fewer are a turn of phrase."""
BEFORE, BEHIND = 260, 160
"""Characters around the quoted words in which their speaker is looked for."""
LEAST_SHARE = 0.8
"""Part of the quoted letters, from their begin or end, that is enough: words are quoted from memory."""


@dataclass(frozen=True, slots=True)
class Speech:
    """Words that the piece with a number has, the words that name their speaker, and how probable that one is."""

    number: int
    words: str
    speaker: str
    probability: float


def quoted_in(question: str) -> str | None:
    """Return the words that a question quotes, None without any."""
    quoted = (match[1] or match[2] for match in _QUOTED.finditer(question))
    return next((words for words in quoted if len(words) >= LEAST_WORDS and letters(words)), None)


def unquoted(text: str) -> str:
    """Return a text of the same length whose quotations, which others say, are blanked."""
    return _QUOTED.sub(lambda match: " " * len(match[0]), text)


def asks_speaker(question: str) -> str | None:
    """Return the quoted words whose speaker a question asks for, None for another question."""
    rest = unquoted(question)
    return quoted_in(question) if _ASKS_WHO.search(rest) and _SAYING.search(rest) else None


def holding(words: str, pieces: Sequence[Numbered]) -> list[tuple[int, Evidence, Span]]:
    """Return the pieces that have the quoted words, with their place; marks, blanks and case do not count."""
    found = [(number, piece, _place(words, piece["text"])) for number, piece in pieces if piece["kind"] == "passage"]
    return [(number, piece, span) for number, piece, span in found if span]


def spoken(reader: AnswerReader, question: str, words: str, pieces: Sequence[Numbered]) -> Speech | None:
    """Return the quoted words with their likeliest speaker, None where no piece tells one surely enough."""
    found = []
    for number, piece, (start, end) in holding(words, pieces):
        text, low = piece["text"], max(0, start - BEFORE)
        for answer in reader.answers(question, text[low : end + BEHIND]):
            span = low + answer.span[0], low + answer.span[1]
            if not meet(span, (start, end)) and (speaker := _speaker(text, span)):
                found.append(Speech(number, text[start:end], speaker, _probability(answer)))
    best = max(found, key=lambda one: one.probability, default=None)
    return best if best and best.probability >= REFUSAL else None


def _speaker(text: str, span: Span) -> str:
    """Return the words of a span that stand outside of speech; '' where they name the one it is said to."""
    told = narrated(text)
    return "" if _TO.search(told[: span[0]]) else told[slice(*span)].strip()


def _probability(answer: ReadAnswer) -> float:
    """Return how sure the reader alone is: the asked words stand beside every candidate."""
    return calibrated(answered(Signs(answer.margin, answer.answerable, answer.sentence(answer.span), 0.0, 0.0)))


def _place(words: str, text: str) -> Span | None:
    """Return where words stand in a text, compared by their letters alone."""
    plain = letters(text)
    offsets = [at for at, sign in enumerate(text) for _ in letters(sign)]
    wanted = letters(words)
    size = max(1, round(LEAST_SHARE * len(wanted)))
    for part in (wanted, wanted[:size], wanted[-size:]):
        if (at := plain.find(part)) >= 0:
            return offsets[at], offsets[at + len(part) - 1] + 1
    return None
