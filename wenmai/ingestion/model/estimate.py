"""What reading a source by a model would cost, before anything is sent."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from nodes.policy import Price
from nodes.results.usage import price_of
from wenmai.ingestion.contracts import AnswerStore
from wenmai.ingestion.model.pieces import Piece, pieces_of
from wenmai.ingestion.model.prompts import READER, asked
from wenmai.ingestion.model.schema import Answer
from wenmai.ingestion.passages.embedding import BATCH
from wenmai.ingestion.passages.passages import split_passages
from wenmai.ingestion.source_bundle import language_of
from wenmai.ingestion.sources.loaders import load
from wenmai.ingestion.sources.sources import SourceChapter
from wenmai.ingestion.spending import money

HAN_PER_TOKEN, OTHER_PER_TOKEN = 1.0, 4.0
"""Characters of a token where no service counts them: Google states about 4 for its models; a Han character as a whole
token overstates the cost rather than understating it."""
SCHEMA_TOKENS = 700
"""What the declared schema takes of each call; the service does not count it."""
OUTPUT_PER_TEXT = 1.0
"""Tokens answered, thinking included, for one of text, where no kept answer tells better."""

Counter = Callable[[Sequence[str]], Awaitable[int]]
CountedBy = Literal["service", "kept answers", "ratio", "ratio, unanswered"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Calls, tokens and money (USD, None without a price)."""

    calls: int
    input_tokens: int
    output_tokens: int
    usd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The cost of what is left to read; `embedding` is None where vectors cost nothing.

    Attributes:
        kept: pieces that were answered before and cost nothing.
        counted_by: who counted the input; the output is never known before.
        output_ratio: output for one token of text: of kept answers, or an assumption.
        measured: whether kept answers gave the ratio.
    """

    chapters: int
    kept: int
    reading: Cost
    embedding: Cost | None
    counted_by: CountedBy
    output_ratio: float
    measured: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What an estimate reckons with. `counter`: the service's, None without a key."""

    mark: str
    model: str
    prices: Mapping[str, Price]
    counter: Counter | None = None
    embedding_model: str | None = None


async def estimate(path: Path, library: str, answers: AnswerStore, terms: Terms) -> Estimate:
    """Return what reading a source would cost. Writes nothing; sends nothing but texts to be counted."""
    chapters = load(path)
    pieces = pieces_of(chapters, language_of(chapters))
    keys = {piece.key(terms.mark): piece for piece in pieces}
    rows = await answers.kept(library, list(keys))
    kept = [(keys[key], Answer.model_validate_json(row)) for key, row in rows.items()]
    new = [piece for key, piece in keys.items() if key not in rows]
    measured = ratios(kept)
    texts = [asked(piece.title, piece.text, piece.language) for piece in new]
    if terms.counter and texts:
        text_tokens = await terms.counter(texts)
        overhead = await terms.counter([READER[new[0].language]])
    else:
        text_tokens = sum(map(approximate, texts))
        overhead = approximate(READER[new[0].language]) if new else 0
    ratio = measured or OUTPUT_PER_TEXT
    sent = text_tokens + len(new) * (overhead + SCHEMA_TOKENS)
    written = round(text_tokens * ratio)
    usd = money(price_of(terms.model, terms.prices), sent, written)
    return Estimate(
        chapters=len(chapters),
        kept=len(keys) - len(new),
        reading=Cost(calls=len(new), input_tokens=sent, output_tokens=written, usd=usd),
        embedding=await embedding_cost(chapters, terms) if terms.embedding_model else None,
        counted_by="service" if terms.counter else "ratio",
        output_ratio=ratio,
        measured=measured is not None,
    )


def approximate(text: str) -> int:
    """Return the tokens of a text by its characters."""
    han = sum("\u3400" <= char <= "\u9fff" or "\u3000" <= char <= "\u303f" or char in "，。！？；：“”" for char in text)
    return round(han / HAN_PER_TOKEN + (len(text) - han) / OTHER_PER_TOKEN)


def ratios(kept: Sequence[tuple[Piece, Answer]]) -> float | None:
    """Return the output for one token of text in kept answers, None without any."""
    read = [(piece, answer) for piece, answer in kept if answer.found]
    text = sum(approximate(piece.text) for piece, _ in read)
    return sum(answer.output_tokens for _, answer in read) / text if text else None


async def embedding_cost(chapters: Sequence[SourceChapter], terms: Terms) -> Cost:
    """Return what the vectors of a new library cost; an unchanged passage keeps its vector and costs nothing."""
    sizes = [len(split_passages(chapter.text)) for chapter in chapters]
    texts = [chapter.text for chapter in chapters]
    tokens = await terms.counter(texts) if terms.counter else sum(map(approximate, texts))
    usd = money(price_of(terms.embedding_model or "", terms.prices), tokens, 0)
    return Cost(calls=sum(-(-size // BATCH) for size in sizes), input_tokens=tokens, output_tokens=0, usd=usd)
