"""What reading a source by a model would cost, before anything is sent."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Literal

from nodes.policy import Price
from nodes.usage import price_of
from state.context import Language
from tools.evidence import blank
from wenmai.ingestion.chapters.records import SourceChapter
from wenmai.ingestion.contracts import AnswerStore, money
from wenmai.ingestion.model.pieces import CALL, Answer, Piece, calls_of, pieces_of
from wenmai.ingestion.model.prompts import MOST, READER, asked
from wenmai.ingestion.model.summaries import DESCRIPTION, chapter_requests, sections_of
from wenmai.ingestion.model.summary_requests import (
    PEOPLE,
    SENTENCES,
    SUMMARISER,
    SummaryRequest,
    Written,
    WrittenAnswer,
    most_sentences,
)
from wenmai.ingestion.model.tokens import JSON_PER_TOKEN, SENTENCE_TOKENS, approximate, schema_tokens
from wenmai.ingestion.passages import BATCH, split_passages, trimmed
from wenmai.ingestion.source_bundle import language_of
from wenmai.ingestion.sources.loaders import load

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
        summaries: those of chapters, sections, parts, books and people; None where none are to be written.
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
    summaries: Cost | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What an estimate reckons with.

    Attributes:
        schema_size: characters of the declared schema, which is sent with every call.
        counter: the service's, None without a key.
        call_size: characters of the pieces that share a call.
        summary_mark: under which answers to requests for summaries are kept; None where none are to be written.
    """

    mark: str
    model: str
    prices: Mapping[str, Price]
    schema_size: int = 0
    call_size: int = CALL
    counter: Counter | None = None
    embedding_model: str | None = None
    summary_mark: str | None = None


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
        summaries=await summary_cost(chapters, language_of(chapters), library, answers, terms),
    )


WRITTEN_SHARE = 0.8  # of the sentences that an answer may have, where no kept answer tells better
TASK_TOKENS = 60  # of what a request says besides its material
WORDS = 0.6  # what the words of a sentence take of its tokens


async def summary_cost(
    chapters: Sequence[SourceChapter], language: Language, library: str, answers: AnswerStore, terms: Terms
) -> Cost | None:
    """Return what the summaries of a source cost that are not kept; None where none are to be written.

    What stands on the chapters is reckoned from the sentences that their answers will have, by the kept ones.
    """
    if terms.summary_mark is None:
        return None
    requests = [one for chapter in chapters for one in requests_about(chapter, language)]
    rows = await answers.kept(library, [one.key(terms.summary_mark) for one in requests])
    kept = [WrittenAnswer.model_validate_json(row) for row in rows.values()]
    new = [one for one in requests if one.key(terms.summary_mark) not in rows]
    most = most_sentences("chapter")
    messages, prompt = [one.message for one in new], SUMMARISER[language]
    texts, fixed, scale = sum(map(approximate, messages)), approximate(prompt), 1.0
    if terms.counter and messages:
        counted = await terms.counter(messages)
        texts, fixed, scale = counted, await terms.counter([prompt]), counted / texts
    fixed += schema_tokens(Written)
    sentence = scale * SENTENCE_TOKENS
    per_answer = sum(one.output_tokens for one in kept) / len(kept) if kept else WRITTEN_SHARE * most * sentence
    written = [one.written for one in kept if one.written]
    sentences = sum(len(one.sentences) + sum(len(person.sentences) for person in one.people) for one in written)
    share = sentences / (most * len(written)) if written else WRITTEN_SHARE
    parts = [len(list(group)) for _, group in groupby(chapters, key=lambda one: one.task_id)]
    inner_sent, inner_answered, inner = 0.0, 0.0, len(parts) > 1 if new else 0
    for count in parts if new else ():
        sections = [len(one) for one in sections_of(range(count))]
        below = [size * SENTENCES["chapter"] for size in sections]
        below += [len(sections) * SENTENCES["stretch"]] if len(sections) > 1 else []
        below = [one for one in below if one > SENTENCES["chapter"]]
        people = [min(PEOPLE["people"][0] * DESCRIPTION, size * (most - SENTENCES["chapter"])) for size in sections]
        inner += len(below) + len(people)
        inner_sent += sum(fixed + scale * TASK_TOKENS + share * sentence * WORDS * one for one in [*below, *people])
        inner_answered += share * sentence * len(below) * SENTENCES["stretch"]
        inner_answered += share * sentence * len(people) * most_sentences("people")
    sent = round(inner_sent + len(new) * fixed + texts)
    answered = round(inner_answered + len(new) * per_answer)
    usd = money(price_of(terms.model, terms.prices), sent, answered)
    return Cost(calls=len(new) + round(inner), input_tokens=sent, output_tokens=answered, usd=usd)


def requests_about(chapter: SourceChapter, language: Language) -> list[SummaryRequest]:
    """Return the requests about a chapter as they will be when it is stored."""
    spans = [trimmed(chapter.text, one.span) for one in split_passages(chapter.text)]
    pieces = [blank("passage", "", chapter.text[one.start : one.stop]) for one in spans]
    return chapter_requests(chapter.task_id, chapter.title, pieces, language)


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
