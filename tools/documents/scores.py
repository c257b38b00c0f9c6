"""Words of chunks, and scores by them for a question: BM25, the share of words in neighbouring sentences, the cosine.

In a conversation also the place: near the sources of the last answer, on the pages that it names. A follow-up mostly
concerns the text after the last answer, or another place on the same page. The chunks that share most words with the
last question and answer show the page, so that no further query of the store is needed.

A question of a conversation rarely repeats its topic (MTRAG, CAsT). Unweighted, the conversation would outweigh it;
with small weights the words of earlier questions and answers and the direction of the last question lead to the topic.
After Yang et al., "Query and Answer Expansion from Conversation History" (TREC CAsT 2019), with weights instead of
thresholds.

The weights were set by hand on Chinese questions (CMRC 2018, DRCD) and English medical ones: the cosine matters, its
exact weight little: `python benchmarks/public/documents.py --passages FILE --questions FILE` measures the recall. BM25
alone counts scattered words as much as those of one sentence; reciprocal ranks count near ties as much as clear leads.

BM25 is Okapi's: Robertson, Zaragoza, "The Probabilistic Relevance Framework", 2009.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import PurePath

from state.session import SessionTurn
from tools.documents.records import Chunk, MatchedChunk, Matches, MatchMode, place_of
from tools.language import is_chinese
from tools.text.scripts import folded, inverse_frequency
from tools.text.words import words_of


def searched_text(chunk: Chunk) -> str:
    """Return the text whose words are indexed: the headings that the content does not contain, and the content."""
    above = [title for title in chunk.location.heading if title not in chunk.content]
    return "\n".join([*above, chunk.content])


def matches(chunks: Iterable[Chunk], terms: Sequence[str], limit: int) -> Matches:
    """Return the chunks with all terms as literal substrings, or if there are none, those with any.

    `total` counts all of them, `rows` are the first `limit`: by different terms, by occurrences, then by place.
    """
    wanted: dict[str, str] = {}
    for term in filter(folded, terms):
        wanted.setdefault(folded(term), term)
    found = [one for chunk in chunks if (one := _matched(chunk, wanted)) is not None]
    full = [one for one in found if len(one.terms) == len(wanted)]
    mode: MatchMode = "all" if full or not found else "any"
    rows = sorted(full or found, key=lambda one: (-len(one.terms), -one.occurrences, place_of(one.chunk)))
    return Matches(mode, len(rows), tuple(rows[:limit]))


def _matched(chunk: Chunk, terms: dict[str, str]) -> MatchedChunk | None:
    content = folded(chunk.content)
    counts = {term: content.count(term) for term in terms}
    held = tuple(terms[term] for term, count in counts.items() if count)
    return MatchedChunk(chunk=chunk, terms=held, occurrences=sum(counts.values())) if held else None


K1 = 1.2  # the usual constants
B = 0.75


def idf(term: str, counts: Sequence[Mapping[str, int]]) -> float:
    """Return the inverse document frequency of a term among these texts."""
    return inverse_frequency(sum(term in count for count in counts), len(counts))


def bm25(
    counts: Sequence[Counter[str]], rarity: Mapping[str, float], lengths: Sequence[int] | None = None
) -> list[float]:
    """Return the BM25 score of each text; `lengths` where the counts are not of all its words, in any one unit."""
    lengths = [count.total() for count in counts] if lengths is None else lengths
    mean = sum(lengths) / max(1, len(lengths)) or 1.0
    return [
        sum(
            rare * count[term] * (K1 + 1) / (count[term] + K1 * (1 - B + B * length / mean))
            for term, rare in rarity.items()
            if term in count
        )
        for count, length in zip(counts, lengths, strict=True)
    ]


def shares_of_best(query: Sequence[str], texts: Sequence[Sequence[str]]) -> list[float]:
    """Return 0..1 for each text, both given as words: its score among these texts as a share of the best one."""
    words = set(query)
    counts = [Counter(word for word in text if word in words) for text in texts]
    scores = bm25(counts, {word: idf(word, counts) for word in words}, [len(text) for text in texts])
    best = max(scores, default=0.0)
    return [score / best for score in scores] if best else scores


# Questions with words that point back, or with few words of their own, depend on earlier turns more.
BACKWARD = re.compile(
    r"\b(?:it|its|he|him|his|she|her|hers|they|them|their|theirs|this|that|these|those|one|ones|such|else|another|"
    r"others?|same|there|and|so|also|what about|how about)\b|[他她它其]|这|那|此|该|呢[？?]?$|上述|前者|后者",
    re.IGNORECASE,
)
FEW_WORDS = 3
FEW_SIGNS = 8  # of Chinese
DECAY = 0.7  # share of a turn's weight in that of the turn after it


# Weights of earlier turns, for most questions and for those that depend on them: of words of questions and of answers,
# and of the direction of the last question.
# Chosen by recall@5 on the conversations with even numbers of two sets: 244 made from questions on a medical corpus,
# half of them follow-ups without their topic and half full questions after another conversation, and 20 conversations
# (94 turns) written over pages of the web. The more self-contained the questions are, the smaller the weights should
# be. `python benchmarks/public/documents.py` measures the recall in other sets.
SLIGHT, STRONG = (0.1, 0.05, 0.15), (0.2, 0.05, 0.3)


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentQuestion:
    """A query with what the earlier turns of its conversation add.

    Attributes:
        words: the text for the store's own ranking by words: the query, then the earlier questions, the newest first.
        terms: each word with its weight: 1 in the query, less in earlier turns.
        turns: earlier questions and answers, the newest first, one string for each turn.
        last: the last question, '' without earlier turns; `direction` is the share of its vector in the query's.
    """

    query: str
    words: str
    terms: Mapping[str, float]
    turns: Sequence[str] = ()
    last: str = ""
    direction: float = 0.0

    @classmethod
    def of(cls, query: str, earlier: Sequence[SessionTurn]) -> "DocumentQuestion":
        own = words_of(query)
        is_short = len(query) <= FEW_SIGNS if is_chinese(query) else len(own) <= FEW_WORDS
        questions, answers, direction = STRONG if is_short or BACKWARD.search(query) else SLIGHT
        newest, terms = list(reversed(earlier)), dict[str, float]()
        for at, turn in enumerate(newest):
            for text, weight in ((turn["answer"], answers), (turn["resolved"], questions)):
                for word in words_of(text):
                    terms[word] = max(terms.get(word, 0.0), weight * DECAY**at)
        return cls(
            query=query,
            words=" ".join([query, *(turn["resolved"] for turn in newest)]),
            terms=terms | dict.fromkeys(own, 1.0),
            turns=[f"{turn['resolved']}\n{turn['answer']}" for turn in newest],
            last=newest[0]["resolved"] if newest else "",
            direction=direction if newest else 0.0,
        )


SOURCES = 2  # most chunks that count as sources of a turn
REACH = 2  # chunks before and after a source
LEAST_TITLE = 2  # characters; a single one is in any text
FADING = 0.7  # share of a title's points from a turn to the one before it; the last turn counts as the question does
ASIDE = re.compile(r"\s*[(（][^()（）]*[)）]$")  # Casablanca (film)
Page = tuple[str, tuple[str, ...]]


# Points for a chunk on the page of a source, for the one beside a source, and on a page whose title was named. More
# points help follow-ups and harm full questions after another conversation.
# `python benchmarks/public/documents.py --passages FILE --questions FILE` measures recall@5 on sets of either kind.
ON_PAGE, BESIDE, ON_NAMED_PAGE = 4.0, 3.0, 5.0


def page_of(chunk: Chunk) -> Page:
    """Return the page of a chunk: the part of a document under its outermost heading, or all of it without headings."""
    return chunk.document.id, chunk.location.heading[:1]


def titles_of(chunk: Chunk) -> list[str]:
    """Return what the page of a chunk is called, its heading and its file; what is too short for a name is left out."""
    return [title for words in (*chunk.location.heading[:1], file_stem(chunk.filename)) for title in title_in(words)]


@lru_cache(maxsize=4_096)
def file_stem(filename: str) -> str:
    return PurePath(filename).stem


@lru_cache(maxsize=4_096)
def title_in(words: str) -> list[str]:
    """Return a heading without what is aside, [] where that is too short for a name."""
    title = ASIDE.sub("", words).strip()
    return [title] if len(title) >= LEAST_TITLE else []


def page_points(exchange: Sequence[str], chunks: Sequence[Chunk], counts: Sequence[Counter[str]]) -> list[float]:
    """Return points for each chunk by its distance from the sources of the words `exchange`.

    Sources are the texts that share most with these words: the best one counts 1, others quadratically less.
    """
    points = bm25(counts, {word: idf(word, counts) for word in set(exchange)})
    first = sorted((at for at, value in enumerate(points) if value > 0), key=lambda at: (-points[at], at))[:SOURCES]
    sources = {at: (points[at] / points[first[0]]) ** 2 for at in first}
    pages = dict[Page, float]()
    for at, share in sources.items():
        pages[page_of(chunks[at])] = max(pages.get(page_of(chunks[at]), 0.0), share)
    return [
        ON_PAGE * pages.get(page_of(chunk), 0.0)
        + BESIDE * max((nearness(chunk, chunks[at]) * share for at, share in sources.items()), default=0.0)
        for chunk in chunks
    ]


def nearness(chunk: Chunk, source: Chunk) -> float:
    """Return 1 for the chunk next to a source, less for those farther on its page, 0 for all others."""
    apart = abs(chunk.chunk_index - source.chunk_index)
    return 1 / apart if 0 < apart <= REACH and page_of(chunk) == page_of(source) else 0.0


def named_points(conversation: Sequence[str], chunks: Sequence[Chunk]) -> list[float]:
    """Return points for each chunk whose page's title is in a text (newest text first); older texts give fewer."""
    texts = [folded(text) for text in conversation]
    titles = {page_of(chunk): titles_of(chunk) for chunk in chunks}
    shares = {
        page: max((mentioned(folded(title), texts) for title in called), default=0.0) for page, called in titles.items()
    }
    return [ON_NAMED_PAGE * shares[page_of(chunk)] for chunk in chunks]


def mentioned(title: str, texts: Sequence[str]) -> float:
    """Return 1 for a title in the newest text, less for one in an older text, 0 for a title in none."""
    return next((FADING ** max(0, at - 1) for at, text in enumerate(texts) if has_title(text, title)), 0.0)


def has_title(text: str, title: str) -> bool:
    """Return True if a text has a title, in a script with spaces as a word of its own."""
    if title not in text or is_chinese(title):
        return title in text
    return re.search(rf"(?<!\w){re.escape(title)}(?!\w)", text) is not None


WINDOW = 2  # sentences
SENTENCE = re.compile(r"[^。！？!?；;\n.]+(?:\.(?!\s|$)[^。！？!?；;\n.]*)*")


# Weights beside BM25: of the share of the words in the best sentences, and of the cosine.
BY_WINDOW, BY_COSINE = 0.75, 150.0


def scores(asked: DocumentQuestion, chunks: Sequence[Chunk], cosines: Sequence[float]) -> list[float]:
    texts = [searched_text(chunk) for chunk in chunks]
    points = text_scores(asked, texts, cosines)
    named = named_points([asked.query, *asked.turns], chunks)
    places = [0.0] * len(chunks)
    if asked.turns:
        places = page_points(words_of(asked.turns[0]), chunks, [counted(text) for text in texts])
    return [own + place + name for own, place, name in zip(points, places, named, strict=True)]


def text_scores(asked: DocumentQuestion, texts: Sequence[str], cosines: Sequence[float]) -> list[float]:
    """Return the scores of texts by their words and cosines alone, wherever they stand."""
    counts = [counted(text) for text in texts]
    rarity = {term: weight * idf(term, counts) for term, weight in asked.terms.items()}
    by_words = bm25(counts, rarity)
    together = [best_window(text, rarity) for text in texts]
    rows = zip(by_words, together, cosines, strict=True)
    return [words + BY_WINDOW * window + BY_COSINE * cosine for words, window, cosine in rows]


@lru_cache(maxsize=256)
def worded(text: str) -> list[list[str]]:
    """Return the words of each sentence; kept, for a search compares its candidates again with the pages they name."""
    return [words_of(sentence) for sentence in SENTENCE.findall(text)]


def counted(text: str) -> Counter[str]:
    return Counter(chain.from_iterable(worded(text)))


def best_window(text: str, rarity: Mapping[str, float]) -> float:
    """Return the largest sum of the rarities of words that neighbouring sentences share with the query."""
    sentences = [rarity.keys() & words for words in worded(text)] or [set()]
    windows = (set().union(*sentences[at : at + WINDOW]) for at in range(max(1, len(sentences) - WINDOW + 1)))
    return max(sum(rare for term, rare in rarity.items() if term in window) for window in windows)
