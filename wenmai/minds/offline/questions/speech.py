"""Who said it: a question that quotes words is answered from the passage that has them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from nodes.citations import letters
from nodes.roles import AnswerReader
from state.schema import Evidence
from tools.text.sentences import statement_spans
from wenmai.language.lexicon import patterns
from wenmai.language.narration import narrated
from wenmai.language.spans import Span, covering, meet
from wenmai.minds.offline.reading import REFUSAL, Signs, answered, calibrated

_QUOTED = re.compile(r"[“「『\"‘]([^“”「」『』\"]{1,120})[”」』\"’]|'([^']{12,120})'(?!\w)")
SAYINGS = patterns("wenmai.minds.offline.questions", "sayings.toml")
_ASKS_WHO = SAYINGS["who"]
_SAYING = SAYINGS["saying"]
_TO = SAYINGS["spoken_to"]
_PRONOUN = patterns("wenmai.minds.offline.follow_ups")["pronoun"]
LEAST_WORDS = 4  # characters of quoted words; fewer are a turn of phrase
BEFORE, BEHIND = 260, 160  # characters around the quoted words in which their speaker is looked for
LEAST_SHARE = 0.8  # part of the quoted letters, from their begin or end, that is enough: words are quoted from memory


@dataclass(frozen=True, slots=True)
class Speech:
    """Who says quoted words.

    Attributes:
        piece: id of the evidence that has them.
        speaker: the words that say who speaks; '' where none do.
        quote: the sentences that have both, verbatim; of words without a speaker those that have the words.
        probability: that it is this speaker, 0 to 1.
    """

    piece: str
    speaker: str
    quote: str
    probability: float


def quoted_in(question: str) -> str | None:
    quoted = (match[1] or match[2] for match in _QUOTED.finditer(question))
    return next((words for words in quoted if len(words) >= LEAST_WORDS and letters(words)), None)


def unquoted(text: str) -> str:
    """Return a text of the same length whose quotations, which others say, are blanked."""
    return _QUOTED.sub(lambda match: " " * len(match[0]), text)


def asks_speaker(question: str) -> str | None:
    rest = unquoted(question)
    return quoted_in(question) if _ASKS_WHO.search(rest) and _SAYING.search(rest) else None


def holding(words: str, pieces: Sequence[Evidence]) -> list[tuple[Evidence, Span]]:
    """Return the pieces that have the quoted words, with their place; marks, blanks and case do not count."""
    found = [(piece, _place(words, piece["text"])) for piece in pieces if piece["kind"] == "passage"]
    return [(piece, span) for piece, span in found if span]


def likeliest_speech(reader: AnswerReader, question: str, words: str, pieces: Sequence[Evidence]) -> Speech | None:
    """Return the likeliest speaker of quoted words, nobody where no piece names one surely enough; None without words.

    A pronoun names nobody.
    """
    found, places = list[Speech](), holding(words, pieces)
    for piece, (start, end) in places:
        text, low = piece["text"], max(0, start - BEFORE)
        for answer in reader.answers(question, text[low : end + BEHIND]):
            span, told = (low + answer.span[0], low + answer.span[1]), narrated(text)
            # What stands outside of speech, and is not the one it is said to.
            is_speaker = not meet(span, (start, end)) and not _TO.search(told[: span[0]])
            speaker = told[slice(*span)].strip() if is_speaker else ""
            quote = _quote(text, (start, end), speaker)
            if quote and letters(_SAYING.sub("", _PRONOUN.sub("", speaker))):
                # The asked words stand beside every candidate: they are no sign.
                signs = Signs(answer.margin, answer.answerable, answer.sentence(answer.span), 0.0, 0.0)
                found.append(Speech(piece["id"], speaker, quote, calibrated(answered(signs))))
    best = max(found, key=lambda one: one.probability, default=None)
    if places and (best is None or best.probability < REFUSAL):
        piece, span = places[0]
        quote = piece["text"][slice(*covering(statement_spans(piece["text"]), span))]
        return Speech(piece["id"], "", quote, 1 - (best.probability if best else 0.0))
    return best


def _quote(text: str, words: Span, speaker: str) -> str:
    """Return the sentences with words and their speaker, who is named there or right beside; '' where nobody is."""
    sentences, told = statement_spans(text), narrated(text)
    own = [at for at, one in enumerate(sentences) if meet(one, words)]
    if not own or not speaker:
        return ""
    for first, last in ((own[0], own[-1]), (own[0], own[-1] + 1), (own[0] - 1, own[-1])):
        if first < 0 or last >= len(sentences):
            continue
        start, end = sentences[first][0], sentences[last][1]
        named = re.finditer(re.escape(speaker), told[start:end])
        if any(not _TO.search(told[: start + one.start()]) for one in named):
            return text[start:end]
    return ""


def _place(words: str, text: str) -> Span | None:
    plain = letters(text)
    offsets = [at for at, sign in enumerate(text) for _ in letters(sign)]
    wanted = letters(words)
    size = max(1, round(LEAST_SHARE * len(wanted)))
    for part in (wanted, wanted[:size], wanted[-size:]):
        if (at := plain.find(part)) >= 0:
            return offsets[at], offsets[at + len(part) - 1] + 1
    return None
