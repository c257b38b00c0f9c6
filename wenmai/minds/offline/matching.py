"""How much of a question a text says: names by any spelling, words by themselves or a synonym."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from nodes.results.citations import bigrams
from nodes.sentences import pattern_of
from state.schema import Evidence
from tools.documents.bm25 import inverse_frequency
from tools.language import HAN
from tools.story.linking import NameTable, fold
from wenmai.minds.offline.analysis import Analysis

SYNONYM_WEIGHT = 0.7  # a synonym says the same less surely than the word itself
TAGGED_WEIGHT = 0.6  # a name that only the passage's tags hold: called there by a pronoun or a given name
NAME_WEIGHT = 1.0
KEPT_WINDOWS = 256  # texts, a few questions' evidence
WINDOW = 2  # sentences: what stands together is about the same thing


@dataclass(frozen=True, slots=True)
class Term:
    """A thing to look for: its forms with their weights, surest first; `entity` where it is a name."""

    key: str
    forms: tuple[tuple[str, float], ...]
    entity: str | None = None

    def found(self, text: str, entities: Iterable[str] = ()) -> float:
        """Return 0..1: how surely a text says this."""
        best = self.said(text)
        if self.entity and best < TAGGED_WEIGHT and self.entity in entities:
            return TAGGED_WEIGHT
        return best

    def said(self, text: str) -> float:
        """Return the weight of the surest form that stands in a text, 0 where none does."""
        for form, weight in self.forms:  # asked for every sentence of the evidence: a generator takes twice as long
            if form in text:
                return weight
        return 0.0

    def within(self, text: str) -> "Term":
        """Return the term with those of its forms alone that a text has."""
        return Term(self.key, tuple(form for form in self.forms if form[0] in text), self.entity)


def terms_of(analysis: Analysis, table: NameTable) -> list[Term]:
    """Return the names and words of a question as terms."""
    names = [
        Term(name, tuple((fold(s), NAME_WEIGHT) for s in spellings(name, table)), name) for name in analysis.entities
    ]
    words = [Term(word, forms_of(word, others)) for word, others in analysis.synonyms.items()]
    return names + words


def spellings(name: str, table: NameTable) -> list[str]:
    """Return the spellings of a name; the name itself where the library does not know it."""
    return table.aliases(name) or [name]


def forms_of(word: str, others: Sequence[str]) -> tuple[tuple[str, float], ...]:
    """Return a word's forms: itself, then its synonyms, then the halves of a long Chinese word."""
    forms = [(fold(word), 1.0), *((fold(other), SYNONYM_WEIGHT) for other in others if other != word)]
    if len(word) >= 3 and HAN.search(word):
        forms += [(word[i : i + 2], 0.5) for i in range(len(word) - 1)]
    return tuple(forms)


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of terms and bigrams within a pool of texts: what few of them say tells more."""

    terms: dict[str, float]
    bigrams: dict[str, float]

    @classmethod
    def of(cls, terms: Sequence[Term], question: str, pool: Sequence[Evidence]) -> "Weights":
        """Count document frequencies in a pool."""
        return cls.over(terms, question, [(piece["text"], piece["entities"]) for piece in pool])

    @classmethod
    def over(cls, terms: Sequence[Term], question: str, pool: Sequence[tuple[str, Collection[str]]]) -> "Weights":
        """Count document frequencies in texts and the entities that they are known to be about."""
        texts = [fold(text) for text, _ in pool]
        tags = [entities for _, entities in pool]
        found = {t.key: sum(t.found(x, e) > 0 for x, e in zip(texts, tags, strict=True)) for t in terms}
        pairs = sorted(bigrams(question))  # sums of floats depend on the order
        pair_counts = {pair: sum(pair in text for text in texts) for pair in pairs}
        total = len(texts)
        return cls(
            {key: inverse_frequency(count, total) for key, count in found.items()},
            {pair: inverse_frequency(count, total) for pair, count in pair_counts.items()},
        )


def coverage(text: str, terms: Sequence[Term], weights: Weights, entities: Iterable[str] = ()) -> float:
    """Return 0..1: the weighted share of the terms that a text says."""
    total = sum(weights.terms[term.key] for term in terms)
    folded = fold(text)
    tags = list(entities)
    said = sum(weights.terms[term.key] * term.found(folded, tags) for term in terms)
    return said / total if total else 0.0


def overlap(text: str, weights: Weights) -> float:
    """Return 0..1: the weighted share of the question's bigrams that a text holds."""
    total = sum(weights.bigrams.values())
    return sum(weight for pair, weight in weights.bigrams.items() if pair in text) / total if total else 0.0


@dataclass(frozen=True, slots=True)
class Heard:
    """A text with what it has of a question: nothing else need be looked for in its parts."""

    folded: str
    terms: tuple[Term, ...]
    weights: Weights
    term_total: float
    pair_total: float

    @classmethod
    def of(cls, text: str, terms: Sequence[Term], weights: Weights) -> "Heard":
        """Look for everything once."""
        folded = fold(text)
        kept = tuple(term for term in (term.within(folded) for term in terms) if term.forms)
        pairs = {pair: weight for pair, weight in weights.bigrams.items() if pair in text}
        total = sum(weights.terms[term.key] for term in terms)
        return cls(folded, kept, Weights(weights.terms, pairs), total, sum(weights.bigrams.values()))

    def score(self, sentence: str, start: int) -> float:
        """Return coverage and overlap of a part of the text that begins at `start`, added up."""
        folded = self.folded[start : start + len(sentence)]
        said = sum(self.weights.terms[term.key] * term.said(folded) for term in self.terms)
        shared = sum(weight for pair, weight in self.weights.bigrams.items() if pair in sentence)
        coverage = said / self.term_total if self.term_total else 0.0
        return coverage + (shared / self.pair_total if self.pair_total else 0.0)


@lru_cache(KEPT_WINDOWS)
def windows(text: str) -> tuple[str, ...]:
    """Return each sentence of a text with the ones behind it; the checks of one question share them."""
    sentences = [match.group() for match in pattern_of(text).finditer(text)]
    return tuple("".join(sentences[at : at + WINDOW]) for at in range(max(1, len(sentences) - WINDOW + 1)))


@cache
def any_of(words: tuple[str, ...]) -> str:
    """Return a pattern of some words, the longest first."""
    return "(?:" + "|".join(sorted(map(re.escape, words), key=len, reverse=True)) + ")"


def name_pattern(name: str, table: NameTable) -> str:
    """Return a pattern of an entity's spellings, of the bare given name that begins a clause, and of 姓周，名瑜."""
    plain = name.split("[")[0]
    forms = [re.escape(form) for form in dict.fromkeys([*spellings(name, table), plain])]
    given = plain[1:] if len(plain) == 2 and HAN.match(plain) else plain[2:] if len(plain) == 4 else ""
    if given:
        forms.append(rf"(?<=[，。；：！？“”\s]){re.escape(given)}")
        forms.append(rf"姓{re.escape(plain[: -len(given)])}[，,]?名{re.escape(given)}")
    return f"(?:{'|'.join(forms)})"


def told_together(names: Sequence[str], forms: Sequence[str], texts: Iterable[str], table: NameTable) -> bool:
    """Tell whether two sentences of some text hold all the names and one of the forms."""
    patterns = name_patterns(names, table)
    near = (window for text in texts for window in windows(text) if any(form in window for form in forms))
    return any(all(name.search(window) for name in patterns) for window in near)


def is_told(way: str, name: str, texts: Iterable[str], table: NameTable) -> bool:
    """Tell whether some text has a pattern in which `{name}` is somebody."""
    told = re.compile(way.format(name=name_pattern(name, table)))
    return any(told.search(text) for text in texts)


def name_patterns(names: Iterable[str], table: NameTable) -> list[re.Pattern[str]]:
    """Return the compiled pattern of each name."""
    return [re.compile(name_pattern(name, table)) for name in names]


def others_in(text: str, entities: Collection[str], table: NameTable) -> bool:
    """Tell whether a text names a person who is none of these."""
    named = {m.entity for m in table.find(text) if m.entity and table.kind(m.entity) == "Character"}
    return not named.issubset(entities)
