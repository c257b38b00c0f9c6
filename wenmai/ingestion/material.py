"""Everything that an ingest reads before it writes anything."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from state.context import Language
from tools.language import HAN
from wenmai.ingestion.names.discovery import discover
from wenmai.ingestion.names.introductions import introductions
from wenmai.ingestion.names.names import Namer
from wenmai.ingestion.passages.layout import RULES, digest
from wenmai.ingestion.passages.passages import PassagePolicy
from wenmai.ingestion.sources.aliases import KnownName, load_aliases, merge
from wenmai.ingestion.sources.imports import GraphFile, load_graph
from wenmai.ingestion.sources.loaders import load, source_files
from wenmai.ingestion.sources.sources import SourceChapter, refuse

_LETTER = re.compile(r"[A-Za-z]")


@dataclass(frozen=True, kw_only=True)
class Material:
    """A source's chapters, the names that a person gave and those that were found, its graph files.

    `settings` changes when names may be read otherwise.
    """

    chapters: list[SourceChapter]
    given: list[KnownName]
    found: list[KnownName]
    graph_files: list[GraphFile]
    settings: str

    @cached_property
    def namer(self) -> Namer:
        """The names, compiled for the texts."""
        texts = [chapter.text for chapter in self.chapters]
        everyone = merge(self.given, self.found)
        own = [entry.name for entry in self.found]
        return Namer.build(merge(everyone, introductions(texts, everyone)), texts, own=own)

    def with_findings(self, names: Sequence[KnownName], mark: str) -> "Material":
        """Return the same with names that a model found; where patterns found the same, the model knows its kind."""
        shown = [(entry.name, entry.kind, entry.aliases) for entry in names]
        return replace(self, found=merge(names, self.found), settings=digest(self.settings, mark, shown))


def fingerprint(
    path: Path,
    aliases: Path | None,
    graph_files: Sequence[Path],
    policy: PassagePolicy,
    embedder: str,
    reader: str | None = None,
) -> str:
    """Digest every file and setting that an ingest depends on. Raises IngestError for a missing file."""
    if not path.exists():
        raise refuse(path, "文件不存在", "请检查路径")
    files = [*source_files(path), *([aliases] if aliases else []), *graph_files]
    hashes = [(file.name, _hash(file)) for file in files]
    return digest(RULES, embedder, str(policy), hashes, reader)


def _hash(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as exc:
        raise refuse(file, f"读取失败（{exc.strerror or exc}）", "请检查路径和权限") from exc


def read_material(path: Path, aliases: Path | None, graph_files: Sequence[Path]) -> Material:
    """Read a source with its dictionary and graph files. Raises IngestError."""
    chapters = load(path)
    given = load_aliases(aliases) if aliases else []
    files = [load_graph(file) for file in graph_files]
    known = merge(given, (entry for file in files for entry in file.entities))
    texts = [chapter.text for chapter in chapters]
    found = discover(texts, known, language(chapters))
    return Material(
        chapters=chapters,
        given=known,
        found=found,
        graph_files=files,
        settings=digest([(entry.name, entry.kind, entry.aliases) for entry in known]),
    )


def language(chapters: Sequence[SourceChapter]) -> Language:
    """Tell the language of a source by its letters."""
    sample = "".join(chapter.text[:2000] for chapter in chapters[:20])
    return "zh" if 4 * len(HAN.findall(sample)) >= len(_LETTER.findall(sample)) else "en"
