"""Who said it: a question that quotes words is answered from the passage that has them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from nodes.results.citations import letters
from nodes.roles import AnswerReader
from state.schema import Evidence
from wenmai.language.spans import Span

_QUOTED = re.compile(r"[“「『\"‘]([^“”「」『』\"]{4,120})[”」』\"’]|'([^']{12,120})'(?!\w)")
_ASKS_WHO = re.compile(r"谁|哪[个位一]|何人|什么人|\bwho(?:m|se)?\b", re.IGNORECASE)
BEFORE, BEHIND = 260, 160
"""Characters around the quoted words in which their speaker is looked for."""
LEAST_SHARE = 0.8
"""Part of the quoted letters, from their begin or end, that is enough: words are quoted from memory."""


@dataclass(frozen=True, slots=True)
class Speech:
    """Quoted words where they stand.

    Attributes:
        number: of the piece in the evidence, from 1.
        words: as the piece has them.
        speaker: the words that name who said them.
        surely: log odds of the speaker.
    """

    number: int
    words: str
    speaker: str
    surely: float


def quoted_in(question: str) -> str | None:
    """Return the words that a question quotes, None without any."""
    match = _QUOTED.search(question)
    return (match[1] or match[2]) if match else None


def asks_speaker(question: str) -> str | None:
    """Return the quoted words whose speaker a question asks for, None for another question."""
    words = quoted_in(question)
    return words if words and _ASKS_WHO.search(question.replace(words, "")) else None


def holding(words: str, pieces: Sequence[tuple[int, Evidence]]) -> list[tuple[int, Evidence, Span]]:
    """Return the pieces that have the quoted words, with their place; marks, blanks and case do not count."""
    found = [(number, piece, _place(words, piece["text"])) for number, piece in pieces if piece["kind"] == "passage"]
    return [(number, piece, span) for number, piece, span in found if span]


def spoken(reader: AnswerReader, question: str, words: str, pieces: Sequence[tuple[int, Evidence]]) -> Speech | None:
    """Return the quoted words with their likeliest speaker, None where no piece has them."""
    found = []
    for number, piece, (start, end) in holding(words, pieces):
        text = piece["text"]
        low, high = max(0, start - BEFORE), min(len(text), end + BEHIND)
        for answer in reader.answers(question, text[low:high]):
            speaker = text[low + answer.span[0] : low + answer.span[1]]
            surely = answer.margin if letters(speaker) not in letters(words) else answer.margin - BEFORE
            found.append(Speech(number, text[start:end], speaker, surely))
    return max(found, key=lambda one: one.surely, default=None)


def _place(words: str, text: str) -> Span | None:
    """Return where words stand in a text, compared by their letters alone."""
    plain, offsets = "", []
    for at, letter in enumerate(text):
        for one in letters(letter):
            plain += one
            offsets.append(at)
    wanted = letters(words)
    size = max(1, round(LEAST_SHARE * len(wanted)))
    for part in (wanted, wanted[:size], wanted[-size:]):
        if (at := plain.find(part)) >= 0:
            return offsets[at], offsets[at + len(part) - 1] + 1
    return None
