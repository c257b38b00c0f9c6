"""What is asked of an ingest, and everything that it reads before it writes: files, chapters, names."""

import asyncio
import hashlib
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from state.context import Language
from tools.errors import IngestError
from tools.language import HAN
from tools.messages import Message
from tools.records import PERSON, UNTYPED
from wenmai.formats.epub import Declared
from wenmai.ingestion.chapters.choice import NO_CHOICE, ChapterChoice
from wenmai.ingestion.chapters.records import SourceChapter
from wenmai.ingestion.contracts import Progress, Step
from wenmai.ingestion.names.equations import style_names
from wenmai.ingestion.names.genders import genders_of
from wenmai.ingestion.names.names import Namer
from wenmai.ingestion.names.narrator import Narrators, narrators_of
from wenmai.ingestion.names.recognition import recognise
from wenmai.ingestion.names.scripts import speaker_names
from wenmai.ingestion.names.spans import NameTagger, tag_all
from wenmai.ingestion.passages import DEFAULT_POLICY, RULES, PassagePolicy, digest
from wenmai.ingestion.sources.aliases import KnownName, is_alias_list, load_aliases, merge
from wenmai.ingestion.sources.decoding import Contents, read_bytes, refuse
from wenmai.ingestion.sources.imports import GraphFile, load_graph
from wenmai.ingestion.sources.loaders import load_source, source_files


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestRequest:
    """A source and the library that it goes into.

    Attributes:
        path: a text, JSON, HTML, EPUB, DOCX or PDF file, or a folder of such files.
        library: made when it is new.
        title: what answers show; None keeps the title of an earlier ingest, else the file's name is used.
        graph_files: ready-made relations, events and entities.
        choice: what decides the headings in place of the rules.
        language: of the story; None takes that of its letters.
        drops_tables: whether the aliases and graph files of an earlier ingest do not count where none are given.
    """

    path: Path
    library: str
    title: str | None = None
    aliases: Path | None = None
    graph_files: tuple[Path, ...] = ()
    policy: PassagePolicy = DEFAULT_POLICY
    choice: ChapterChoice = NO_CHOICE
    language: Language | None = None
    drops_tables: bool = False

    @property
    def source(self) -> str:
        return self.path.stem


UNDECLARED = Declared()
USUAL_WEIGHT = 4  # Latin letters that one Chinese character outweighs
DECLARED_WEIGHTS = {"zh": 12, "en": 1}
_LETTER = re.compile(r"[A-Za-z]")


@dataclass(frozen=True, slots=True)
class SourceFiles:
    """The files of a request in a fixed order, each read once; of a folder's `refused` ones the error."""

    contents: Mapping[Path, bytes]
    refused: Mapping[Path, IngestError] = field(default_factory=dict)

    @classmethod
    def read(cls, request: IngestRequest) -> "SourceFiles":
        """Read every file of a request. Raises IngestError."""
        if not request.path.exists():
            raise refuse(request.path, Message("file.not_found"), Message("ingest.check_path"))
        contents, refused = dict[Path, bytes](), dict[Path, IngestError]()
        for file in source_files(request.path):
            try:
                contents[file] = read_bytes(file)
            except IngestError as error:
                if file == request.path:
                    raise
                refused[file] = error
        aliases = [request.aliases] if request.aliases else []
        return cls(contents | {file: read_bytes(file) for file in (*aliases, *request.graph_files)}, refused)

    def content(self, file: Path) -> bytes:
        """Return the bytes of a file. Raises IngestError for one that could not be read."""
        if file in self.refused:
            raise self.refused[file]
        return self.contents[file]

    def fingerprint(
        self, request: IngestRequest, embedder: str, reader: str | None, tagger: str | None, *kept: object
    ) -> str:
        """Return a digest of the source's files, and of every setting and table that the result depends on."""
        tables = {request.aliases, *request.graph_files}
        hashes = [
            (file.name, hashlib.sha256(data).hexdigest()) for file, data in self.contents.items() if file not in tables
        ]
        chosen = [str(one) for one in (request.choice, request.language) if one]
        return digest(RULES, embedder, str(request.policy), hashes, reader, tagger, *chosen, *kept)

    def tables(self, request: IngestRequest) -> tuple[list[KnownName], list[GraphFile]]:
        """Return the aliases and the records of a request's files. Raises IngestError."""
        given = load_aliases(request.aliases, self.content) if request.aliases else []
        more, files = read_tables(request.graph_files, self.content)
        return merge(given, more), files

    async def bundle(
        self,
        request: IngestRequest,
        tables: tuple[Sequence[KnownName], Sequence[GraphFile]],
        tagger: NameTagger | None = None,
        progress: Progress | None = None,
    ) -> "SourceBundle":
        """Return chapters, names and graph files; without a tagger no name is found. Raises IngestError."""
        bundle = await asyncio.to_thread(self._given, request, *tables)
        texts = [chapter.text for chapter in bundle.chapters]
        speaking = await asyncio.to_thread(speaker_names, texts) if any(not one.kind for one in bundle.given) else ()
        people = dict.fromkeys(speaking, PERSON)  # who speaks is a person, though the name is a common word
        if not tagger:
            return replace(bundle, given=typed(bundle.given, {**bundle.ends, **people}))
        started = time.perf_counter()

        def show(done: int, total: int) -> None:
            if progress:
                seconds = time.perf_counter() - started
                progress(Step(done=done, total=total, chapter="", seconds=seconds, unit="characters"))

        tagged = await tag_all(texts, tagger, show)
        found = await asyncio.to_thread(recognise, texts, bundle.given, tagged)
        given = typed(bundle.given, {**bundle.ends, **found.kinds, **people})
        return replace(
            bundle, given=given, found=found.names, uses=found.uses, settings=digest(bundle.settings, tagger.name)
        )

    def _given(self, request: IngestRequest, given: Sequence[KnownName], files: Sequence[GraphFile]) -> "SourceBundle":
        """Return what the files say, without the names of the text."""
        warnings: list[str] = []
        loaded = load_source(request.path, self.content, request.choice, warnings.append)
        known = merge(merge(given, (entry for file in files for entry in file.entities)), loaded.names)
        return SourceBundle(
            chapters=list(loaded.chapters),
            odd=loaded.odd,
            given=known,
            graph_files=[*files],
            settings=digest(
                [(entry.name, entry.kind, entry.aliases) for entry in known],
                sorted({(end.name, end.kind) for file in files for end in file.ends}),
            ),
            books=loaded.books,
            declared=UNDECLARED if request.path.is_dir() else loaded.books.get(request.path.stem, UNDECLARED),
            warnings=tuple(warnings),
            named_language=request.language,
        )


def read_tables(paths: Sequence[Path], contents: Contents = read_bytes) -> tuple[list[KnownName], list[GraphFile]]:
    """Return the names of lists of aliases, and the records of the other files. Raises IngestError."""
    lists = [path for path in paths if is_alias_list(path, contents)]
    names = [entry for path in lists for entry in load_aliases(path, contents)]
    return merge([], names), [load_graph(path, contents) for path in paths if path not in lists]


@dataclass(frozen=True, kw_only=True)
class SourceBundle:
    """What a source holds.

    Attributes:
        given: names that a person gave, in a dictionary or a graph file.
        found: names that were found in the text.
        uses: of found spellings that are common words too, the offsets at which they are names, by chapter.
        settings: digest of what decides how names are read; another one makes every chapter count as changed.
        odd: what is odd about the chapters, each in a line.
        books: title, authors and language as a file gives them, by the file's task.
        declared: those of the source where it is one file.
        warnings: what is odd in the files, one line each.
        named_language: the language that a person names, None if none does.
    """

    chapters: list[SourceChapter]
    given: list[KnownName]
    found: list[KnownName] = field(default_factory=list)
    uses: Mapping[str, Mapping[int, frozenset[int]]] = field(default_factory=dict)
    graph_files: list[GraphFile]
    settings: str
    odd: tuple[str, ...] = ()
    books: Mapping[str, Declared] = field(default_factory=dict)
    declared: Declared = UNDECLARED
    warnings: tuple[str, ...] = ()
    named_language: Language | None = None

    @property
    def ends(self) -> dict[str, str]:
        """What relations show names to be; of people it is only supposed."""
        return {end.name: end.kind for file in self.graph_files for end in file.ends if end.kind != PERSON}

    @property
    def tasks(self) -> list[str]:
        return list(dict.fromkeys(chapter.task_id for chapter in self.chapters))

    @property
    def language(self) -> Language:
        """The language of the source: as a person names it, else as the book declares it if its letters agree."""
        return self.named_language or language_of(self.chapters, self.declared.language)

    @cached_property
    def namer(self) -> Namer:
        texts = [chapter.text for chapter in self.chapters]
        everyone = merge(self.given, self.found)
        known = merge(everyone, style_names(texts, everyone))
        ends = merge([], (end for file in self.graph_files for end in file.ends))
        speaking = speaker_names(texts)
        spelled = {spelling for entry in known for spelling in (entry.name, entry.base, *entry.aliases)}
        more = [end for end in ends if spelled.isdisjoint((end.name, end.base))]
        spelled |= {end.base for end in more}
        within = [spelling for spelling in spelled if len(spelling) > 1]
        more += [KnownName(name=name) for name in speaking if not any(spelling in name for spelling in within)]
        # Who speaks, and what a record of a graph file names, is named wherever the word stands.
        certain = {*speaking, *(end.base for end in ends)}
        return Namer.build(
            [*known, *more],
            texts,
            own=[entry.name for entry in (*self.found, *more)],
            uses={word: places for word, places in self.uses.items() if word not in certain},
        )

    @cached_property
    def narrators(self) -> Narrators:
        return narrators_of([chapter.text for chapter in self.chapters], self.namer)

    @cached_property
    def genders(self) -> Mapping[str, str]:
        """Which people are men (m) and which women (f), where the source shows it."""
        return genders_of([chapter.text for chapter in self.chapters], self.namer)

    def with_findings(self, names: Sequence[KnownName], mark: str) -> "SourceBundle":
        """Return the bundle with the names that a model found; what it says of a name goes before the text's own."""
        shown = [(entry.name, entry.kind, entry.aliases) for entry in names]
        own = {entry.name for entry in names}
        rest = [replace(one, aliases=tuple(alias for alias in one.aliases if alias not in own)) for one in self.found]
        return replace(self, found=merge(names, rest), settings=digest(self.settings, mark, shown))


def typed(given: Sequence[KnownName], kinds: Mapping[str, str]) -> list[KnownName]:
    """Return names that a person gave with the kind that text and relations show where none was told."""
    return [
        replace(one, kind=one.kind or next((kinds[s] for s in (one.base, *one.aliases) if s in kinds), UNTYPED))
        for one in given
    ]


def language_of(chapters: Sequence[SourceChapter], declared: str = "") -> Language:
    """Return the language of a source by its letters; `declared` tips the scale, for it is often wrong."""
    sample = "".join(chapter.text[:2000] for chapter in chapters[:20])
    weight = DECLARED_WEIGHTS.get(declared.lower()[:2], USUAL_WEIGHT)
    return "zh" if weight * len(HAN.findall(sample)) >= len(_LETTER.findall(sample)) else "en"
