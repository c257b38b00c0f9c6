"""Which sentences of passages tell most of what they are about: those with the names and words that come again."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from state.draft import Sentence
from state.schema import Evidence
from tools.language import HAN, characters
from tools.text.sentences import sentence_spans
from wenmai.minds.offline.questions.question import word_table
from wenmai.minds.offline.wordings import cited

LONGEST = 160
"""Chinese characters of a quoted sentence; a longer one is cut at a clause."""
SHORTEST = 6
USUAL_CHINESE, USUAL_ENGLISH = 40, 120
"""Characters of a usual sentence: shorter ones gain little by being short."""
TELLING_CHINESE, TELLING_ENGLISH = 14, 45
"""Characters that a sentence has at least that tells what happens."""
MOST_COUNTED = 6
"""Sentences with a word beyond which it is worth no more."""
OF_TOPIC = 2
"""Sentences that a word of the title counts for."""
SPEECH_SHARE = 0.6
"""What a sentence of speech weighs beside one of the narrator."""
_CHINESE_FILL = frozenset(
    "的了是在他她它我你您们这那哪一二三不没也都还又就才说道着过个有来去上下里么吧呢吗啊呀啦把被给和与跟从到得地之其而但"
    "却只很再为什怎样时候几些如若虽然因所以便叫让要会能可想看见走出起"
)
_ENGLISH_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]{3,}")
_QUOTES = '“「『"'
_ENDS = "。！？…”」』.!?’'\""
_CLAUSE_END = re.compile(r"[，,；;、：:。！？.!?]\s*")


@dataclass(frozen=True, slots=True)
class QuotedSentence:
    """A sentence of a piece of evidence, on one line, with the piece's id."""

    piece: str
    text: str

    @property
    def cited(self) -> Sentence:
        return cited(self.text, self.piece)


def shortened(text: str) -> str:
    """Return a sentence on one line; of a long one the clauses that fit."""
    line = " ".join(text.split())
    longest = characters(line, LONGEST)
    if len(line) <= longest:
        return line
    ends = [match.start() for match in _CLAUSE_END.finditer(line, SHORTEST, longest)]
    dots = "……" if HAN.search(line) else " …"
    end = ends[-1] if ends else line.rfind(" ", SHORTEST, longest)
    return line[: end if end > 0 else longest] + dots


def sentences_of(pieces: Sequence[Evidence]) -> list[QuotedSentence]:
    """Return the sentences of pieces in order, each once; passages may overlap."""
    found: dict[str, QuotedSentence] = {}
    for piece in pieces:
        for start, end in sentence_spans(piece["text"]):
            line = shortened(piece["text"][start:end])
            if len(line) >= SHORTEST:
                found.setdefault(line, QuotedSentence(piece["id"], line))
    return list(found.values())


def central_sentences(
    found: Sequence[QuotedSentence], names: Mapping[str, str], most: int, topic: str = ""
) -> list[QuotedSentence]:
    """Return the sentences that hold most of what comes again in all of them, the best first.

    A word that a chosen sentence has counts no more for the next one.

    Args:
        found: the sentences.
        names: the people in them by spelling.
        most: how many sentences are wanted.
        topic: words that count for more, a title.
    """
    held, title = [_words(one.text, names) for one in found], _words(topic, names)
    # A word is worth in how many other sentences it stands, up to a bound, and more for the topic.
    counts = Counter(word for one in held for word in one)
    weights = {
        word: math.sqrt(min(MOST_COUNTED, count - 1 + OF_TOPIC * (word in title))) for word, count in counts.items()
    }
    chosen: list[int] = []
    covered: set[str] = set()
    telling = [
        at
        for at, one in enumerate(found)
        if one.text[-1] in _ENDS and len(one.text) >= (TELLING_CHINESE if HAN.search(one.text) else TELLING_ENGLISH)
    ]
    while len(chosen) < most:
        worth = {at: _worth(found[at].text, held[at] - covered, weights) for at in telling if at not in chosen}
        best = max(worth, key=lambda at: (worth[at], -at), default=None)
        if best is None or worth[best] <= 0:
            break
        chosen.append(best)
        covered |= held[best]
    return [found[at] for at in chosen]


def _worth(text: str, held: set[str], weights: dict[str, float]) -> float:
    usual = USUAL_CHINESE if HAN.search(text) else USUAL_ENGLISH
    per_length = sum(weights[word] for word in held) / math.sqrt(len(text) + usual)
    return per_length * (SPEECH_SHARE if any(quote in text for quote in _QUOTES) else 1.0)


def _words(text: str, names: Mapping[str, str]) -> set[str]:
    """Return the people and the words of a sentence that are more than filling; in Chinese pairs of characters."""
    found: set[str] = set()
    for spelling in sorted(names, key=len, reverse=True):
        if spelling in text:
            found.add(names[spelling])
            text = text.replace(spelling, " ")
    if HAN.search(text):
        return found | {
            text[at : at + 2]
            for at in range(len(text) - 1)
            if HAN.match(text[at]) and HAN.match(text[at + 1]) and not _CHINESE_FILL & {text[at], text[at + 1]}
        }
    fill = word_table("english_fill")
    return found | {word for word in map(str.lower, _ENGLISH_WORD.findall(text)) if word not in fill}
