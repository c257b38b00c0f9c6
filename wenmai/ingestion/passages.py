"""Chapters to passages that keep sentences and dialogue lines whole: their place in a library, and their vectors."""

import hashlib
import json
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, field, replace
from itertools import pairwise
from uuid import UUID, uuid5

from tools.errors import LibraryNotFound
from tools.language import HAN, LATIN_FACTOR
from tools.ports import Embedder, PassageStore
from tools.records import Chapter, ChapterOutline, slot_of
from tools.text.sentences import statement_spans
from wenmai.ingestion.chapters.records import SourceChapter
from wenmai.ingestion.contracts import Progress, Step, TaggedChapter
from wenmai.ingestion.names.scripts import CHOICE, spoken_line

LATIN = re.compile(r"[A-Za-z]")
PASSAGE_NAMESPACE = UUID("6f1f3c1e-9a52-5d0b-8a8e-2f4f1d7c9b60")


@dataclass(frozen=True, slots=True)
class PassagePolicy:
    """Sizes in Chinese characters: a passage ends at a paragraph from `low` on, at any sentence from `high` on.

    A single sentence longer than `limit` is cut at its commas. The defaults are the retrieval benchmark's choice.
    A text of Latin script has `LATIN_FACTOR` times as many characters: its passages hold as many tokens.
    """

    low: int = 450
    high: int = 650
    limit: int = 1500

    def suited_to(self, text: str) -> "PassagePolicy":
        if 2 * len(HAN.findall(text)) > len(LATIN.findall(text)):
            return self
        return PassagePolicy(*(LATIN_FACTOR * size for size in astuple(self)))


DEFAULT_POLICY = PassagePolicy()


@dataclass(frozen=True, slots=True)
class PassageSpan:
    """A passage before it has names: where it stands, in which scene, the how manieth there."""

    span: range
    scene_order: int
    chunk_order: int
    scene_title: str


_Unit = tuple[range, bool]  # what is never cut: a sentence, or a dialogue line; whether it ends a paragraph
_SCENE = re.compile(r"^(?:##\s+(?P<title>.*?)\s*#*|-{3,}|\*{3,}|[＊*]\s[＊*]\s[＊*])\s*$")
_CLAUSE = re.compile(r"[^，；、：,;:]*[，；、：,;:]?\s*")


def passage_id(library: str, task_id: str, part: int, chapter: int | None, scene: int, chunk: int) -> str:
    return str(uuid5(PASSAGE_NAMESPACE, "\x1f".join(map(str, (library, task_id, part, chapter, scene, chunk)))))


def has_choice(text: str) -> bool:
    """Return True if a text offers the reader a choice: `选项：`, `- [ ]`, which Markdown reads to ☐, `> 1.`."""
    return bool(CHOICE.search(text))


def split_passages(text: str, policy: PassagePolicy = DEFAULT_POLICY) -> list[PassageSpan]:
    """Cut a chapter into passages. Every character that is no blank and no scene mark is in exactly one."""
    policy, chunks = policy.suited_to(text), []
    for scene_order, (title, lines) in enumerate(_scenes(text)):
        units = [unit for line in lines for unit in _units(text, line, policy)]
        for chunk_order, span in enumerate(_pack(units, policy)):
            chunks.append(PassageSpan(span, scene_order, chunk_order, title))
    return chunks


def _scenes(text: str) -> list[tuple[str, list[range]]]:
    """Group the lines of a text by scene; scenes without a word are left out."""
    scenes: list[tuple[str, list[range]]] = [("", [])]
    at = 0
    for line in text.splitlines(keepends=True):
        match = _SCENE.match(line)
        if match:
            scenes.append((match["title"] or "", []))
        elif line.strip():
            scenes[-1][1].append(range(at, at + len(line)))
        at += len(line)
    return [scene for scene in scenes if scene[1]]


def _units(text: str, line: range, policy: PassagePolicy) -> Iterator[_Unit]:
    """Cut a line into sentences; a dialogue line stays whole unless it is longer than a passage may be."""
    body = text[line.start : line.stop]
    if spoken_line(body) and len(line) <= policy.limit:
        yield line, True
        return
    starts = [line.start, *(line.start + start for start, _ in statement_spans(body)[1:]), line.stop]
    spans = [piece for start, end in pairwise(starts) for piece in _fit(text, range(start, end), policy)]
    yield from ((span, span is spans[-1]) for span in spans)


def _fit(text: str, sentence: range, policy: PassagePolicy) -> Iterator[range]:
    """Give a sentence whole, or cut at commas (without commas: hard) where it is longer than a passage may be."""
    if len(sentence) <= policy.limit:
        yield sentence
        return
    start = end = sentence.start
    for clause in _CLAUSE.finditer(text, sentence.start, sentence.stop):
        if end > start and clause.end() - start > policy.high:
            yield range(start, end)
            start = end
        end = clause.end()
        while end - start > policy.limit:
            yield range(start, start + policy.high)
            start += policy.high
    if end > start:
        yield range(start, end)


def _pack(units: Sequence[_Unit], policy: PassagePolicy) -> list[range]:
    """Join units to passages; what is left over at the end goes to the last one if that stays small."""
    packed: list[range] = []
    open_: range | None = None
    for span, closes in units:
        if open_ and len(open_) + len(span) > policy.high and len(open_) >= policy.low // 2:
            packed.append(open_)
            open_ = None
        open_ = range(open_.start if open_ else span.start, span.stop)
        if len(open_) >= policy.high or (closes and len(open_) >= policy.low):
            packed.append(open_)
            open_ = None
    is_rest = open_ is not None and len(open_) < policy.low // 2
    if open_ and is_rest and packed and open_.stop - packed[-1].start <= policy.high + policy.low // 2:
        open_ = range(packed.pop().start, open_.stop)
    return [*packed, open_] if open_ else packed


def trimmed(text: str, span: range) -> range:
    """Leave out the blanks at both ends of a span."""
    body = text[span.start : span.stop]
    return range(span.start + len(body) - len(body.lstrip()), span.stop - len(body) + len(body.rstrip()))


BATCH = 16  # passages in one call of the embedder: progress moves every few seconds, and larger calls gain nothing


@dataclass(slots=True, kw_only=True)
class PassageEmbedder:
    """Embeds the passages of one ingest.

    Attributes:
        total: passages that the ingest will write.
        done: passages that have a vector so far.
        seconds: time spent in the embedder, summed over concurrent calls.
    """

    library: str
    store: PassageStore
    embedder: Embedder
    progress: Progress | None
    total: int
    done: int = 0
    seconds: float = 0.0
    started: float = field(default_factory=time.perf_counter)

    async def embed(self, tagged: TaggedChapter) -> list[list[float]]:
        """Return one vector for each passage; one that is stored with the same text is not embedded again."""
        try:
            vectors = await self.store.vectors(self.library, tagged.passages)
        except LibraryNotFound:  # the first chapter of a new library
            vectors = {}
        new = [passage for passage in tagged.passages if passage.id not in vectors]
        self.done += len(tagged.passages) - len(new)
        for at in range(0, len(new), BATCH):
            batch = new[at : at + BATCH]
            started = time.perf_counter()
            rows = await self.embedder.embed_passages([passage.text for passage in batch])
            ended = time.perf_counter()
            self.seconds += ended - started
            vectors |= {passage.id: row for passage, row in zip(batch, rows, strict=True)}
            self.done += len(batch)
            if self.progress:
                chapter, seconds = tagged.chapter.title or tagged.chapter.task_id, ended - self.started
                self.progress(Step(done=self.done, total=self.total, chapter=chapter, seconds=seconds))
        return [vectors[passage.id] for passage in tagged.passages]


RULES = 10  # version of the rules that turn a text into records: a new one makes every chapter count as changed

Key = tuple[str, int, int | None]  # source, part and slot of a chapter


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedChapter:
    """A chapter of the source with its place, its passages' spans and the event_order of the first."""

    chapter: Chapter
    task_name: str
    chunks: tuple[PassageSpan, ...]
    first_order: int
    changed: bool

    @property
    def key(self) -> Key:
        return chapter_key(self.chapter)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The library as it will be: the source's chapters, those that leave, and every chapter's order."""

    placed: tuple[PlacedChapter, ...]
    gone: tuple[Key, ...]
    orders: tuple[tuple[Key, int], ...]
    """Every chapter of the library with the event_order of its first passage, in reading order."""
    shifted: tuple[tuple[str, int, int | None, int], ...]
    """The stored chapters (task, part, slot) with a new order."""

    @property
    def changed(self) -> list[PlacedChapter]:
        """The chapters of the source that are to be written."""
        return [placed for placed in self.placed if placed.changed]


def chapter_key(chapter: Chapter | ChapterOutline) -> Key:
    return chapter.task_id, chapter.part, slot_of(chapter.number, chapter.copy)


def digest(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False, sort_keys=True).encode()).hexdigest()


def arrange_chapters(
    library: str,
    source: Sequence[SourceChapter],
    stored: Sequence[ChapterOutline],
    tasks: Iterable[str],
    settings: str,
    policy: PassagePolicy,
) -> Layout:
    """Place the chapters of a source among the stored ones: by part, then by order inside it.

    Parts continue in the order of first ingestion; a task keeps its part for good. `stored` is every chapter of the
    library, `tasks` what the source held before; other `settings` make every chapter count as changed.
    """
    parts = {chapter.task_id: chapter.part for chapter in stored}
    for task in dict.fromkeys(chapter.task_id for chapter in source):
        parts.setdefault(task, max(parts.values(), default=0) + 1)
    drafts = {chapter_key(one): one for one in (_chapter(library, row, parts[row.task_id], settings) for row in source)}
    old = {chapter_key(chapter): chapter for chapter in stored}
    owned = {chapter.task_id for chapter in source} | set(tasks)
    kept = [chapter for key, chapter in old.items() if key not in drafts and chapter.task_id not in owned]
    chunks = {key: tuple(split_passages(chapter.text, policy)) for key, chapter in drafts.items()}
    sizes = {chapter_key(one): one.passages for one in kept} | {key: len(found) for key, found in chunks.items()}
    every: list[Chapter | ChapterOutline] = [*kept, *drafts.values()]
    orders: list[tuple[Key, int]] = []
    count = 0
    for chapter in sorted(every, key=lambda one: (one.part, one.order)):
        orders.append((chapter_key(chapter), count))
        count += sizes[chapter_key(chapter)]
    places = {key: (order, first) for order, (key, first) in enumerate(orders)}
    names = {row.task_id: row.task_name for row in source}
    placed = [
        PlacedChapter(
            chapter=replace(chapter, order=places[key][0]),
            task_name=names[chapter.task_id],
            chunks=chunks[key],
            first_order=places[key][1],
            changed=key not in old or old[key].digest != chapter.digest,
        )
        for key, chapter in drafts.items()
    ]
    return Layout(
        placed=tuple(placed),
        gone=tuple(key for key, chapter in old.items() if key not in drafts and chapter.task_id in owned),
        orders=tuple(orders),
        shifted=tuple((*key, at) for key, (at, _) in places.items() if key in old and old[key].order != at),
    )


def _chapter(library: str, source: SourceChapter, part: int, settings: str) -> Chapter:
    return Chapter(
        library=library,
        task_id=source.task_id,
        part=part,
        number=source.number,
        title=source.title,
        text=source.text,
        digest=digest(RULES, settings, source.task_name, source.title, source.source_file, source.text),
        order=source.order,
        source_file=source.source_file,
        copy=source.copy,
    )
