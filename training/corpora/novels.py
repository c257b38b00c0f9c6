"""The questions of `benchmarks/questions` on three novels; passages without the answer are of the same novel."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

from training.corpora.chunks import nearest, passage_spans, terms
from training.corpora.proof import sentence_around
from training.examples import Question, Span

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
    kept_apart = [json.loads(line) for path in sorted((asked / LEFT_OUT).glob("*.jsonl")) for line in _lines(path)]
    for folder, title in NOVELS.items():
        chapters = json.loads((data / "novels_zh" / f"{title}.json").read_text(encoding="utf-8"))["chapters"]
        texts = [chapter["text"] for chapter in chapters]
        passages = [text[slice(*span)] for text in texts for span in passage_spans(text, "zh")]
        search = nearest(passages)
        for path in sorted((asked / folder).glob("*.jsonl")):
            for line in _lines(path):
                item = json.loads(line)
                if any(_alike(item, other) for other in kept_apart):
                    continue
                yield from _of(item, passages, search(item["question"], HARD), random)


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def _alike(one: dict, other: dict) -> bool:  # type: ignore[type-arg]
    """Return True if two questions share a quote or half of their pairs of characters."""
    quotes = [[found["quote"] for found in item.get("gold", []) if found.get("quote")] for item in (one, other)]
    if any(a in b or b in a for a in quotes[0] for b in quotes[1]):
        return True
    ours, theirs = set(terms(one["question"])), set(terms(other["question"]))
    return len(ours & theirs) >= MOST_ALIKE * len(ours | theirs)


def _of(item: dict, passages: list[str], near: list[int], random: Random) -> Iterator[Question]:  # type: ignore[type-arg]
    gold = [found["quote"] for found in item.get("gold", []) if found.get("quote")]
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


def _answer(item: dict, passage: str, quote: Span) -> Span | None:  # type: ignore[type-arg]
    """Return the span of the expected words inside the quote, where they stand there."""
    for alternative in item.get("expect", []):
        places = [passage.find(key, quote[0], quote[1]) for key in alternative]
        if places and min(places) >= 0:
            return min(places), max(place + len(key) for place, key in zip(places, alternative, strict=True))
    return None
