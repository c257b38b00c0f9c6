"""The questions of `benchmarks/questions` on three novels; passages without the answer are of the same novel."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

from training.corpora.chunks import nearest, passage_spans, terms
from training.corpora.proof import sentence_around
from training.corpora.rows import Row, chapters, rows
from training.examples import Question
from wenmai.language.spans import Span

NOVELS = {"sanguo": "三国演义", "xiyou": "西游记", "honglou": "红楼梦"}
LEFT_OUT = "unseen"
"""The folder that the product is measured on; what is like its questions is not trained on."""
MOST_ALIKE = 0.5
HARD = 12
"""Nearest passages of which a negative is one."""


def questions(data: Path, asked: Path, random: Random) -> Iterator[Question]:
    """Return questions on the passage that answers, and on near ones that do not.

    Args:
        data: the folder of public data.
        asked: `benchmarks/questions`.
        random: draws the negatives.
    """
    kept_apart = [_told(item) for item in _asked(asked / LEFT_OUT)]
    for folder, title in NOVELS.items():
        texts = [chapter["text"] for chapter in chapters(data / "novels_zh" / f"{title}.json")]
        passages = [text[slice(*span)] for text in texts for span in passage_spans(text, "zh")]
        search = nearest(passages)
        for item in _asked(asked / folder):
            told = _told(item)
            if not any(_alike(told, other) for other in kept_apart):
                yield from _of(item, passages, search(item["question"], HARD), random)


def _asked(folder: Path) -> Iterator[Row]:
    """Return the questions of all files of a folder."""
    return (item for path in sorted(folder.glob("*.jsonl")) for item in rows(path))


def _quotes(item: Row) -> list[str]:
    """Return the gold quotes of a question."""
    return [found["quote"] for found in item.get("gold", []) if found.get("quote")]


def _told(item: Row) -> tuple[list[str], set[str]]:
    """Return what two questions are compared by: their quotes and their terms."""
    return _quotes(item), set(terms(item["question"]))


def _alike(one: tuple[list[str], set[str]], other: tuple[list[str], set[str]]) -> bool:
    """Return True if two questions share a quote or half of their terms."""
    if any(a in b or b in a for a in one[0] for b in other[0]):
        return True
    return len(one[1] & other[1]) >= MOST_ALIKE * len(one[1] | other[1])


def _of(item: Row, passages: list[str], near: list[int], random: Random) -> Iterator[Question]:
    gold = _quotes(item)
    if item["answerable"] and not gold:
        return
    for quote in gold[:1]:
        for passage in passages:
            at = passage.find(quote)
            if at >= 0:
                span = _answer(item, passage, (at, at + len(quote)))
                yield Question(item["question"], passage, True, span, sentence_around(passage, (at, at + len(quote))))
                break
    keys = [key for alternative in item.get("expect", []) for key in alternative]
    clean = [passages[at] for at in near if not any(part in passages[at] for part in [*gold, *keys])]
    if not clean:
        return
    yield Question(item["question"], clean[0], answerable=False)
    if not item["answerable"] and len(clean) > 1:
        yield Question(item["question"], random.choice(clean[1:]), answerable=False)


def _answer(item: Row, passage: str, quote: Span) -> Span | None:
    """Return the span of the expected words inside the quote, where they stand there."""
    for alternative in item.get("expect", []):
        places = [passage.find(key, quote[0], quote[1]) for key in alternative]
        if places and min(places) >= 0:
            return min(places), max(place + len(key) for place, key in zip(places, alternative, strict=True))
    return None
