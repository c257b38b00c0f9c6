"""The sentences of chapters that tell most of them: by the names, the events and the words that come again."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby

from tools.language import HAN, characters, cost
from tools.records import Passage
from tools.text.sentences import sentence_spans
from tools.text.words import STOP

LONGEST = 160
"""Chinese characters of a shown sentence; a longer one is cut at a clause."""
SHORTEST = 6
USUAL_CHINESE, USUAL_ENGLISH = 40, 120
"""Characters of a usual sentence: shorter ones gain little by being short."""
TELLING_CHINESE, TELLING_ENGLISH = 10, 30
"""Characters that a sentence has at least that tells what happens."""
MOST_COUNTED = 6
"""Sentences with a word beyond which it is worth no more."""
OF_TOPIC = 2
"""Sentences that a word of the title counts for."""
SPEECH_SHARE, EVENT_SHARE = 0.8, 1.5
"""What a sentence of speech weighs beside one of the narrator, and one that tells an event beside others."""
STRETCH = 220
"""Chinese characters that are shown of a stretch of a chapter: each stretch has a share, so that none is left out."""
LEAST_OF_GROUP = 50
"""Chinese characters that are shown of a chapter; where there is less room neighbouring chapters share it."""
MARK = 5
"""What the number before a shown row costs."""
_CHINESE_FILL = frozenset(
    "的了是在他她它我你您们这那哪一二三不没也都还又就才说道着过个有来去上下里么吧呢吗啊呀啦把被给和与跟从到得地之其而但"
    "却只很再为什怎样时候几些如若虽然因所以便叫让要会能可想看见走出起"
)
# Words that an English text is filled with, of four letters and more, beside those that no search compares.
_ENGLISH_FILL = STOP | frozenset(
    [
        "against",
        "along",
        "although",
        "always",
        "among",
        "another",
        "anything",
        "around",
        "away",
        "back",
        "began",
        "behind",
        "beside",
        "beyond",
        "came",
        "cannot",
        "come",
        "didn't",
        "does",
        "don't",
        "done",
        "either",
        "else",
        "enough",
        "even",
        "ever",
        "every",
        "everything",
        "first",
        "found",
        "four",
        "from",
        "gave",
        "give",
        "going",
        "gone",
        "good",
        "great",
        "hand",
        "hear",
        "heard",
        "here",
        "herself",
        "himself",
        "itself",
        "keep",
        "kept",
        "knew",
        "know",
        "last",
        "least",
        "left",
        "less",
        "little",
        "long",
        "look",
        "looked",
        "made",
        "make",
        "many",
        "matter",
        "might",
        "mind",
        "much",
        "must",
        "myself",
        "near",
        "never",
        "next",
        "nothing",
        "often",
        "once",
        "perhaps",
        "place",
        "quite",
        "rather",
        "right",
        "round",
        "said",
        "saying",
        "seemed",
        "seen",
        "shall",
        "since",
        "some",
        "something",
        "soon",
        "still",
        "such",
        "sure",
        "take",
        "taken",
        "tell",
        "think",
        "thing",
        "things",
        "though",
        "thought",
        "three",
        "time",
        "told",
        "took",
        "toward",
        "towards",
        "turned",
        "upon",
        "used",
        "want",
        "well",
        "went",
        "were",
        "whether",
        "whole",
        "whose",
        "with",
        "within",
        "without",
        "word",
        "words",
        "would",
        "years",
    ]
)
_ENGLISH_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]{3,}")
_QUOTES = '“「『"'
_ENDS = "。！？…”」』.!?’'\""
DOTS = ("……", " …")
_CLAUSE_END = re.compile(r"[，,；;、：:。！？.!?]\s*")


def shortened(text: str) -> str:
    """Return a sentence on one line; of a long one the clauses that fit."""
    line = " ".join(text.split())
    longest = characters(line, LONGEST)
    if len(line) <= longest:
        return line
    ends = [match.start() for match in _CLAUSE_END.finditer(line, SHORTEST, longest)]
    dots = DOTS[not HAN.search(line)]
    end = ends[-1] if ends else line.rfind(" ", SHORTEST, longest)
    return line[: end if end > 0 else longest] + dots


class Weighing:
    """What sentences are worth beside each other: by what comes again in them, and what a chosen one has said already.

    `names` are the people in the sentences by spelling; words of `topic`, a title, count for more, and so do the
    sentences of `events`. `rarity` is 0..1 for words that other parts of the book have too; any other word is rare.
    """

    def __init__(
        self,
        texts: Sequence[str],
        names: Mapping[str, str],
        topic: str = "",
        events: Collection[int] = (),
        rarity: Mapping[str, float] | None = None,
    ) -> None:
        self._texts = texts
        spellings = sorted(names, key=len, reverse=True)
        self._held = [_words(text, spellings, names) for text in texts]
        title = _words(topic, spellings, names)
        # A word is worth in how many other sentences it stands, up to a bound, and more for the topic.
        counts = Counter(word for one in self._held for word in one)
        self._weights = {
            word: math.sqrt(min(MOST_COUNTED, count - 1 + OF_TOPIC * (word in title))) * (rarity or {}).get(word, 1.0)
            for word, count in counts.items()
        }
        self._events = frozenset(events)
        self._covered: set[str] = set()
        self.telling = [
            at
            for at, text in enumerate(texts)
            if text[-1] in _ENDS and len(text) >= (TELLING_CHINESE if HAN.search(text) else TELLING_ENGLISH)
        ]

    def best(self, candidates: Sequence[int]) -> int | None:
        """Return where the sentence stands that says most beside the chosen ones, which it is one of from now on."""
        worth = {at: self._worth(at) for at in candidates}
        best = max(worth, key=lambda at: (worth[at], -at), default=None)
        if best is None or worth[best] <= 0:
            return None
        self.choose(best)
        return best

    def choose(self, at: int) -> None:
        self._covered |= self._held[at]

    def begin_again(self) -> None:
        """Let what was said count once more."""
        self._covered = set()

    def _worth(self, at: int) -> float:
        text = self._texts[at]
        usual = USUAL_CHINESE if HAN.search(text) else USUAL_ENGLISH
        new = sum(self._weights[word] for word in self._held[at] - self._covered) / math.sqrt(len(text) + usual)
        spoken = SPEECH_SHARE if any(quote in text for quote in _QUOTES) else 1.0
        return new * spoken * (EVENT_SHARE if at in self._events else 1.0)


def central_sentences(texts: Sequence[str], names: Mapping[str, str], most: int, topic: str = "") -> list[int]:
    """Return where the sentences stand that hold most of what comes again in all of them, the best first."""
    weighing, chosen = Weighing(texts, names, topic), list[int]()
    while len(chosen) < most:
        best = weighing.best([at for at in weighing.telling if at not in chosen])
        if best is None:
            break
        chosen.append(best)
    return chosen


def _words(text: str, spellings: Sequence[str], names: Mapping[str, str]) -> frozenset[str]:
    """Return the people and the words of a sentence that are more than filling; in Chinese pairs of characters."""
    found: set[str] = set()
    for spelling in spellings:
        if spelling in text:
            found.add(names[spelling])
            text = text.replace(spelling, " ")
    if HAN.search(text):
        return frozenset(found) | {
            text[at : at + 2]
            for at in range(len(text) - 1)
            if HAN.match(text[at]) and HAN.match(text[at + 1]) and not _CHINESE_FILL & {text[at], text[at + 1]}
        }
    return frozenset(found) | {
        word for word in map(str.lower, _ENGLISH_WORD.findall(text)) if word not in _ENGLISH_FILL
    }


@dataclass(frozen=True, slots=True)
class Extract:
    """Whole sentences of a passage, `[start:end]` of its text, and as they are shown on one line."""

    passage: Passage
    start: int
    end: int
    line: str

    @property
    def is_whole(self) -> bool:
        """True if nothing of it is cut in the line."""
        return not self.line.endswith(DOTS)


EventPlace = tuple[str | None, int | None, int | None, int]  # task, part, chapter, and where its words begin there


@dataclass(frozen=True, slots=True)
class Digest:
    """Chooses the telling sentences of chapters.

    Attributes:
        names: the people of the library by spelling.
        events: where the words of events begin.
        rarity: of words in the book, 0..1.
    """

    names: Mapping[str, str]
    events: Collection[EventPlace] = ()
    rarity: Mapping[str, float] = field(default_factory=dict[str, float])

    def of(self, chapters: Sequence[Sequence[Passage]], room: int, most: int | None = None) -> list[Extract]:
        """Return sentences of chapters in story order, neighbours in one extract; the first and the last of all too.

        Args:
            chapters: the passages of each, in story order.
            room: what they may cost, in Chinese characters; each chapter has an equal share.
            most: sentences in all, whatever they cost.
        """
        if not chapters:
            return []
        limit = max(1, room // LEAST_OF_GROUP) if most is None else max(1, most)
        size = math.ceil(len(chapters) / limit)
        groups = [
            [one for chapter in chapters[at : at + size] for one in chapter] for at in range(0, len(chapters), size)
        ]
        chosen, left = list[Extract](), room
        for at, group in enumerate(groups):
            share = left // (len(groups) - at)
            ends = (at == 0, at == len(groups) - 1)
            count = None if most is None else most // len(groups) + (at < most % len(groups))
            found = self._of_group(group, share, count, ends)
            left -= sum(cost(one.line) + MARK for one in found)
            chosen += found
        return list(joined(chosen))

    def _of_group(
        self, passages: Sequence[Passage], room: int, count: int | None, ends: tuple[bool, bool]
    ) -> list[Extract]:
        found = list(sentences(passages))
        if not found:
            return []
        texts = [one.line for one in found]
        places = self._telling_events(found)
        tags = {name for one in passages for name in one.entities}
        names = {spelling: name for spelling, name in self.names.items() if name in tags}
        weighing = Weighing(texts, names, passages[0].chapter_title, places, self.rarity)
        costs = [cost(text) + MARK for text in texts]
        chosen = {at for at, is_end in zip((0, len(found) - 1), ends, strict=True) if is_end}
        for at in chosen:
            weighing.choose(at)
        room -= sum(costs[at] for at in chosen)
        stretches = max(1, round(room / STRETCH) if count is None else count - len(chosen))
        left = room
        for at, stretch in enumerate(in_stretches(weighing.telling, costs, stretches)):
            share, own = left // (stretches - at), 0
            if count is not None and len(chosen) >= count:
                break
            while True:
                free = [
                    one for one in stretch if one not in chosen and (count is not None or costs[one] <= share - own)
                ]
                best = weighing.best(free)
                if best is None and free:  # all that comes again was said: it counts once more
                    weighing.begin_again()
                    best = weighing.best(free)
                if best is None:
                    break
                chosen.add(best)
                own += costs[best]
                if count is not None:
                    break
            left -= own
        return [found[at] for at in sorted(chosen)]

    def _telling_events(self, found: Sequence[Extract]) -> list[int]:
        """Return where the sentences stand in which an event begins."""
        starts: dict[tuple[str | None, int | None, int | None], list[int]] = defaultdict(list)
        for task, part, chapter, start in self.events:
            starts[task, part, chapter].append(start)

        def tells(one: Extract) -> bool:
            passage = one.passage
            own = starts.get((passage.task_id, passage.part, passage.chapter), ())
            return any(passage.start + one.start <= start < passage.start + one.end for start in own)

        return [at for at, one in enumerate(found) if tells(one)]


def rarity_in(passages: Sequence[Passage]) -> dict[str, float]:
    """Return 0..1 for each word of passages: the fewer of them have it, the more; names are left out by the caller."""
    counts = Counter(word for one in passages for word in _words(one.text, (), {}))
    most = math.log(len(passages) + 1)
    return {word: 1 - math.log(count) / most for word, count in counts.items() if count > 1}


def sentences(passages: Sequence[Passage]) -> Iterator[Extract]:
    """Give the sentences of passages in order, each once; passages may overlap."""
    seen = set[str]()
    for passage in passages:
        for start, end in sentence_spans(passage.text):
            line = shortened(passage.text[start:end])
            if len(line) >= SHORTEST and line not in seen:
                seen.add(line)
                yield Extract(passage, start, end, line)


def in_stretches(places: Sequence[int], costs: Sequence[int], count: int) -> list[list[int]]:
    """Return sentences in so many stretches of about equal length."""
    lengths = list(accumulate(costs[at] for at in places))
    stretches: list[list[int]] = [[] for _ in range(count)]
    for at, length in zip(places, lengths, strict=True):
        stretches[min(count - 1, (length - 1) * count // max(1, lengths[-1]))].append(at)
    return stretches


def joined(extracts: Sequence[Extract]) -> Iterator[Extract]:
    """Give extracts, those with nothing between them as one."""
    for _, group in groupby(extracts, key=lambda one: one.passage.id):
        kept = list[Extract]()
        for one in group:
            last = kept[-1] if kept else one
            is_next = not one.passage.text[last.end : one.start].strip() and last.end <= one.start
            if is_next and last.is_whole and one.is_whole:
                between = "" if HAN.match(one.line) or HAN.search(last.line) else " "
                kept[-1] = Extract(one.passage, last.start, one.end, f"{last.line}{between}{one.line}")
            else:
                kept.append(one)
        yield from kept
