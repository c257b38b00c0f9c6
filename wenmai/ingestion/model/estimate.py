"""What reading a source by a model would cost, before anything is sent."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from nodes.policy import Price
from nodes.usage import price_of
from wenmai.ingestion.chapters.records import SourceChapter
from wenmai.ingestion.contracts import AnswerStore, money
from wenmai.ingestion.model.pieces import CALL, Answer, Piece, calls_of, pieces_of
from wenmai.ingestion.model.prompts import MOST, READER, asked
from wenmai.ingestion.passages import BATCH, split_passages
from wenmai.ingestion.source_bundle import language_of
from wenmai.ingestion.sources.loaders import load

HAN_PER_TOKEN, OTHER_PER_TOKEN = 1.0, 4.0
"""Characters of a token where no service counts them: Google states about 4 for its models; a Han character as a whole
token overstates the cost rather than understating it."""
JSON_PER_TOKEN = 4.0  # characters of a token of the declared schema, which no service counts beforehand
NAMES_TOKENS = MOST // 2  # what the names known so far take of a call on the average: they grow from none to their most
OUTPUT_PER_TEXT = 1.0  # tokens answered, thinking included, for one of text, where no kept answer tells better

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

    model: str
    chapters: int
    kept: int
    reading: Cost
    embedding: Cost | None
    counted_by: CountedBy
    output_ratio: float
    measured: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What an estimate reckons with.

    Attributes:
        schema_size: characters of the declared schema, which is sent with every call.
        counter: the service's, None without a key.
        call_size: characters of the pieces that share a call.
    """

    mark: str
    model: str
    prices: Mapping[str, Price]
    schema_size: int = 0
    call_size: int = CALL
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
    calls = calls_of(new, terms.call_size)
    texts = [asked(call) for call in calls]
    if terms.counter and texts:
        text_tokens = await terms.counter(texts)
        prompt = await terms.counter([READER[new[0].language]])
    else:
        text_tokens = sum(map(approximate, texts))
        prompt = approximate(READER[new[0].language]) if new else 0
    ratio = measured or OUTPUT_PER_TEXT
    names = NAMES_TOKENS * (len(calls) if kept else max(0, len(calls) - 1))
    sent = text_tokens + names + len(calls) * (prompt + round(terms.schema_size / JSON_PER_TOKEN))
    written = round(text_tokens * ratio)
    usd = money(price_of(terms.model, terms.prices), sent, written)
    return Estimate(
        model=terms.model,
        chapters=len(chapters),
        kept=len(keys) - len(new),
        reading=Cost(calls=len(calls), input_tokens=sent, output_tokens=written, usd=usd),
        embedding=await embedding_cost(chapters, terms) if terms.embedding_model else None,
        counted_by="service" if terms.counter else "ratio",
        output_ratio=ratio,
        measured=measured is not None,
    )


def approximate(text: str) -> int:
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
