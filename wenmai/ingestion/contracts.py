"""What ingestion asks of its surroundings, and what it reports."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from nodes.policy import Price
from state.context import Language
from tools.ports import Catalog, PassageStore, StoryGraph
from tools.records import Chapter, LibraryInfo, MajorEvent, Passage, Relation, Summary
from wenmai.ingestion.names.names import TextMention
from wenmai.ingestion.sources.aliases import KnownName


class CallUsage(Protocol):
    """Calls to one model and their tokens: those sent include cached ones, those answered include thinking."""

    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int


@dataclass(slots=True, kw_only=True)
class Spending:
    """Calls, tokens and money so far; `cost_usd` is None once a model's price is not known."""

    prices: Mapping[str, Price] = field(default_factory=dict)
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float | None = 0.0

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def add(self, usage: CallUsage) -> None:
        from nodes.usage import price_of  # it loads LangChain, which most commands do not need

        self.calls += usage.calls
        self.input_tokens += usage.input_tokens
        self.output_tokens += usage.output_tokens
        self.cached_tokens += usage.cached_tokens
        price = price_of(usage.model, self.prices)
        new = money(price, usage.input_tokens, usage.output_tokens, usage.cached_tokens)
        self.cost_usd = None if new is None or self.cost_usd is None else self.cost_usd + new


def money(price: Price | None, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> float | None:
    """Return what tokens cost in USD; no tokens cost 0.0, also without a price."""
    if input_tokens + output_tokens == 0:
        return 0.0
    from nodes.usage import charge

    return None if price is None else charge(price, input_tokens, output_tokens, cached_tokens)


class CatalogWriter(Catalog, Protocol):
    """The catalog with its writes. A chapter's row is written last: it is what makes the chapter complete."""

    async def create(self, library: str, title: str, embedder: str, dimension: int, language: Language) -> LibraryInfo:
        """Make or open a library. Raises EmbedderMismatch."""
        ...

    async def put_chapter(self, chapter: Chapter, passage_ids: Sequence[str]) -> None: ...

    async def delete_chapter(self, library: str, task_id: str, part: int, number: int | None) -> None:
        """Delete the chapter of a slot (`tools.records.slot_of`) and the ids of its passages."""
        ...

    async def reorder(self, library: str, orders: Sequence[tuple[str, int, int | None, int]]) -> None:
        """Set the order of chapters given as (task_id, part, slot, order)."""
        ...

    async def passage_ids(
        self, library: str, task_id: str | None = None, part: int | None = None, number: int | None = None
    ) -> list[str]:
        """Return the ids of passages in reading order: of all, of a source, or of one chapter."""
        ...

    async def put_summaries(self, library: str, summaries: Sequence[Summary]) -> None:
        """Write summaries; one of the same kind, subject and last chapter is replaced."""
        ...

    async def delete_summaries(self, library: str, summaries: Sequence[Summary]) -> int:
        """Delete those of these kinds, subjects and last chapters; return how many there were."""
        ...

    async def notes(self, library: str) -> dict[str, Any]: ...

    async def note(self, library: str, key: str) -> Any:
        """Return the JSON value kept under `key`, None if there is none."""
        ...

    async def put_note(self, library: str, key: str, value: Any) -> None:
        """Keep a small JSON value under `key`; None removes it."""
        ...


class AnswerStore(Protocol):
    """Keeps the answers of models, so that no question is paid for twice."""

    async def kept(self, library: str, keys: Sequence[str]) -> dict[str, str]:
        """Return the answers that are there, by key; writes nothing."""
        ...

    async def keep(self, library: str, key: str, task_id: str, content: str, answer: str) -> None:
        """Keep an answer about a piece of a task; durable when it returns."""
        ...

    async def prune(self, library: str, task_id: str, contents: Collection[str]) -> int:
        """Delete a task's answers about texts that it no longer holds; return how many there were."""
        ...

    async def forget(self, library: str, task_id: str) -> int:
        """Delete a task's answers and return how many there were."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """Where an ingest writes; without `answers` no model reads."""

    passages: PassageStore
    graph: StoryGraph
    catalog: CatalogWriter
    answers: AnswerStore | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceNote:
    """What the catalog remembers of a source besides its chapters.

    Attributes:
        fingerprint: digest of its files and settings, None while an ingest is under way.
        title: what answers call it.
        books: title and authors of each file that gives them, by its stem.
        authors: those that a person named in their place, None where none did.
        imports: stems of its graph files.
        names: its entities with their aliases; `pinned` are those that stand in the graph without a passage.
        bad_rows: rows of its graph files that were left out.
        reader: mark of the model that read it, None where none did.
        parts: what each of its tasks is called.
        odd: what is odd about its chapters.
        left_out: how many notes of each kind are kept apart from the story.
    """

    fingerprint: str | None = None
    reader: str | None = None
    title: str | None = None
    books: dict[str, tuple[str, list[str]]] = field(default_factory=dict)
    authors: list[str] | None = None
    tasks: list[str] = field(default_factory=list)
    imports: list[str] = field(default_factory=list)
    names: list[KnownName] = field(default_factory=list)
    pinned: list[str] = field(default_factory=list)
    bad_rows: list[str] = field(default_factory=list)
    parts: dict[str, str] = field(default_factory=dict)
    odd: list[str] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Extraction:
    """Relations and events of one chapter; `dropped` counts findings without verbatim evidence."""

    relations: tuple[Relation, ...] = ()
    events: tuple[MajorEvent, ...] = ()
    dropped: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TaggedChapter:
    """A chapter with its passages and every mention of an entity, in order.

    `narrator` is where the text says "I" outside of quotations and means its narrator; `genders` says who is shown by
    the source to be a man (m) or a woman (f), or probably (m?, f?).
    """

    chapter: Chapter
    passages: tuple[Passage, ...]
    mentions: tuple[TextMention, ...]
    speakers: tuple[TextMention, ...]
    kinds: dict[str, str]
    narrator: tuple[TextMention, ...] = ()
    genders: Mapping[str, str] = field(default_factory=dict)


class Extractor(Protocol):
    """Finds relations and events in a chapter: patterns, or a model."""

    async def extract(self, tagged: TaggedChapter) -> Extraction:
        """Return relations and events whose evidence stands verbatim in the chapter."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """How far an ingest is in `seconds`: characters searched for names, passages embedded, or calls answered.

    `chapter` is '' while names are searched for. Calls come with the tokens and the money (USD, None where a price is
    unknown) that they have cost so far.
    """

    done: int
    total: int
    chapter: str
    seconds: float
    unit: Literal["passages", "calls", "characters"] = "passages"
    tokens: int = 0
    cost_usd: float | None = 0.0

    @property
    def rate(self) -> float:
        """Characters, passages or calls per second."""
        return self.done / self.seconds if self.seconds > 0 else 0.0

    @property
    def remaining(self) -> float | None:
        """Seconds that are left at this rate, None before the first passage."""
        return (self.total - self.done) / self.rate if self.rate else None


Progress = Callable[[Step], None]  # receives every step; the command line draws it


@dataclass(slots=True, kw_only=True)
class IngestReport:
    """What an ingest did. Chapters and passages are those of this source; entities and the rest of the library.

    Attributes:
        written: passages embedded and stored; `unchanged` stayed as they were; `removed` left the library.
        reordered: passages of which only `event_order` changed.
        dropped: findings whose evidence does not stand in the text.
        kept_tables: how many names, relations and events of an earlier ingest's files were used again; empty: none.
        graph_restored: whether the graph of the whole library was gone and was written anew from the catalog's records.
        vectors_restored: passages of chapters whose vectors were gone and are written again.
        vectors_lost: tasks of other sources whose vectors are gone: an ingest of those writes them again.
        merges: names that stand for another one by a decision of a model or a person.
        spending: what model calls of this run have cost.
        kept_answers: pieces for which an answer was kept from an earlier run.
        summaries: summaries and descriptions that the library has; `summaries_left` are requests that were not made.
        kept_summaries: requests for which an answer was kept from an earlier run.
        unsummarised: requests without a usable answer, as "title: reason".
        dropped_sentences: sentences of summaries that the check did not let pass.
        unread: pieces that no model read, as "chapter: reason"; patterns stand in for it there.
        bad_rows: rows of graph files that were left out, as "file:line: reason".
        parts: the source's parts by name with the number of their chapters.
        people: the people of the library who are named most, the most first.
        odd: what is odd about the chapters.
        left_out: how many notes of each kind are kept apart from the story.
        warnings: what was odd in the files: stray bytes, unreadable pages, files of a folder that were skipped.
        embedding_seconds: the share of `seconds` that the embedder took.
    """

    library: str
    tasks: list[str] = field(default_factory=list)
    chapters: int = 0
    chapters_written: int = 0
    passages: int = 0
    written: int = 0
    unchanged: int = 0
    removed: int = 0
    reordered: int = 0
    entities: int = 0
    relations: int = 0
    events: int = 0
    dropped: int = 0
    kept_tables: dict[str, int] = field(default_factory=dict)
    graph_restored: bool = False
    vectors_restored: int = 0
    vectors_lost: list[str] = field(default_factory=list)
    merges: int = 0
    spending: Spending = field(default_factory=Spending)
    kept_answers: int = 0
    unread: list[str] = field(default_factory=list)
    bad_rows: list[str] = field(default_factory=list)
    parts: list[tuple[str, int]] = field(default_factory=list)
    people: list[str] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    seconds: float = 0.0
    embedding_seconds: float = 0.0
    summaries: int = 0
    summaries_left: int = 0
    kept_summaries: int = 0
    unsummarised: list[str] = field(default_factory=list)
    dropped_sentences: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    library: str
    tasks: tuple[str, ...]
    passages: int
    chapters: int
    relations: int
    events: int
    entities: int
    answers: int = 0
