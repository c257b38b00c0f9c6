"""Measure an exported reader on the examples that it was not trained on."""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

from tools.language import HAN
from training.corpora.rows import Row, rows
from wenmai.language.spans import meet
from wenmai.reader.inputs import GAP, Turn
from wenmai.reader.layout import NameKind
from wenmai.reader.reader import Reader, open_reader

Figures = dict[str, float]
_ARTICLES = re.compile(r"\b(a|an|the)\b")


def evaluate(graph: Path, measured: Path, limit: int, seed: int) -> dict[str, Figures]:
    """Return the figures of each corpus.

    Args:
        graph: the ONNX file.
        measured: what `prepare` kept.
        limit: examples of a corpus at most, drawn at random.
        seed: of the draw.
    """
    by_corpus: dict[str, list[Row]] = defaultdict(list)
    for row in rows(measured):
        by_corpus[row["corpus"]].append(row)
    reader = open_reader(None, graph)
    scored: dict[str, Callable[[Reader, Sequence[Row]], Figures]] = {
        "Question": questions,
        "Names": names,
        "FollowUp": follow_ups,
    }
    figures = {}
    for corpus, examples in by_corpus.items():
        drawn = random.Random(seed).sample(examples, min(limit, len(examples)))
        figures[corpus] = scored[drawn[0]["kind"]](reader, drawn)
        print(corpus, len(drawn), {name: round(value, 3) for name, value in figures[corpus].items()}, flush=True)
    return figures


def questions(reader: Reader, examples: Sequence[Row]) -> Figures:
    """Return F1 and exact match of spans, the share of right sentences, and how well answerable is told (AUC)."""
    overlaps: list[float] = []
    exact: list[float] = []
    sentences: list[float] = []
    answerable: list[float] = []
    hopeless: list[float] = []
    for row in examples:
        found = reader.answer(row["question"], row["passage"])
        assert found is not None
        (answerable if row["answerable"] else hopeless).append(found.answerable + found.margin)
        if row["answer"]:
            gold, said = row["passage"][slice(*row["answer"])], row["passage"][slice(*found.span)]
            overlaps.append(f1(said, gold))
            exact.append(exactly(said, gold))
            sentences.append(float(meet(found.span, row["proof"])))
    figures = {"f1": mean(overlaps), "exact": mean(exact), "sentence": mean(sentences)}
    return figures | ({"auc": auc(answerable, hopeless)} if hopeless and answerable else {})


def names(reader: Reader, examples: Sequence[Row]) -> Figures:
    """Return F1 of whole names, with their kind, and of people alone; what nobody judged counts for nothing."""
    hits, said, gold = Counter[int](), Counter[int](), Counter[int]()
    for row in examples:
        unknown = [(low, high) for low, high, kind in row["names"] if kind is None]
        found = {(name.start, name.end, name.kind) for name in reader.names(row["text"])}
        found = {name for name in found if not any(meet(name[:2], span) for span in unknown)}
        wanted = {tuple(name) for name in row["names"] if name[2] is not None}
        for counter, spans in ((hits, found & wanted), (said, found), (gold, wanted)):
            counter.update(kind for _, _, kind in spans)
    people = NameKind.PERSON
    return {
        "f1": 2 * hits.total() / max(1, said.total() + gold.total()),
        "people": 2 * hits[people] / max(1, said[people] + gold[people]),
        "recall_people": hits[people] / max(1, gold[people]),
    }


def follow_ups(reader: Reader, examples: Sequence[Row]) -> Figures:
    """Return the shares of right antecedents, and of questions rightly seen to need the talk or not."""
    right: list[float] = []
    seen: list[float] = []
    own: list[float] = []
    whole: list[float] = []
    for row in examples:
        talk = [Turn(**turn) for turn in row["talk"]]
        need = reader.need(row["question"], talk)
        (seen if row["references"] else own).append(float((need.reference > 0) == bool(row["references"])))
        given = [_is_right(reader, row["question"], talk, reference) for reference in row["references"]]
        right += given
        if row["references"]:
            mentions = [(one.start, one.end) for one in need.mentions] or [GAP]
            found = [
                next(iter(reader.antecedents(row["question"], talk, mention)), ("", 0.0))[0] for mention in mentions
            ]
            wanted = [reference["antecedents"] for reference in row["references"]]
            whole.append(float(all(any(_same(one, name) for one in found for name in each) for each in wanted)))
    return {"antecedent": mean(right), "seen": mean(seen), "own": mean(own), "whole": mean(whole)}


def _is_right(reader: Reader, question: str, talk: Sequence[Turn], reference: Row) -> float:
    start, end = reference["mention"]
    found = reader.antecedents(question, talk, (start, end))
    return float(bool(found) and any(_same(found[0][0], name) for name in reference["antecedents"]))


def _same(one: str, other: str) -> bool:
    one, other = one.lower().strip(" .,'’\"“”《》"), other.lower()
    return bool(one) and (
        one == other or (2 * len(one) >= len(other) and one in other) or (2 * len(other) >= len(one) and other in one)
    )


def f1(said: str, gold: str) -> float:
    """Return the overlap of two answers: characters in Chinese, words in English (Rajpurkar et al. 2016)."""
    one, two = _units(said), _units(gold)
    common = (Counter(one) & Counter(two)).total()
    return 2 * common / (len(one) + len(two)) if common else 0.0


def exactly(said: str, gold: str) -> float:
    """Return 1.0 for the same answer, 0.0 for another; signs and articles aside."""
    return float(_plain(said) == _plain(gold))


def _units(text: str) -> list[str]:
    plain = _plain(text)
    return [letter for letter in plain if letter != " "] if HAN.search(plain) else plain.split()


def _plain(text: str) -> str:
    return " ".join(_ARTICLES.sub(" ", re.sub(r"[^\w\s]", " ", text.lower())).split())


def auc(good: Sequence[float], bad: Sequence[float]) -> float:
    """Return the share of pairs in which the good one scores more."""
    return sum((one > two) + 0.5 * (one == two) for one in good for two in bad) / (len(good) * len(bad))


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else float("nan")
