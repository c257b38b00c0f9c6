"""EPUB: package, reading order and table of contents. Fonts, pictures and styles are never looked at."""

import io
import posixpath
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import unquote

from tools.messages import Message
from wenmai.formats.blocks import Block, Unreadable
from wenmai.formats.pages import is_reference, page_blocks, parsed

TYPE = "{http://www.idpf.org/2007/ops}type"


ContentsRow = tuple[str, str, tuple[str, ...], bool]
"""A row of a table of contents: title, address, titles above it (the outermost first), whether some are below it."""


@dataclass(frozen=True, slots=True)
class ContentsEntry:
    """A line of the table of contents: where it points, and the entries above it, the outermost first."""

    title: str
    page: str
    anchor: str
    above: tuple[str, ...]
    has_more: bool
    """Whether other entries are below it."""


def parsed_xml(data: bytes) -> Any:
    """Parse XML that may be a little wrong; nothing outside of it is read."""
    from lxml import etree  # type: ignore[import-untyped]  # the package has no stubs

    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, load_dtd=False)
    found = etree.fromstring(data, parser)
    if found is None:
        raise Unreadable(Message("ingest.bad_xml"), Message("ingest.save_as_txt"))
    return found


def children(tag: Any, name: str) -> Iterator[Any]:
    yield from tag.iterfind(f".//{{*}}{name}")


def text_of(tag: Any) -> str:
    return " ".join("".join(tag.itertext()).split())


def nav_rows(page: Any) -> Iterator[ContentsRow]:
    """Yield the rows of a navigation document in their order."""

    def read(tag: Any) -> tuple[str, str, list[Any]]:
        label = next(iter(_named(tag, "a") or _named(tag, "span")), None)
        inner = [item for inside in _named(tag, "ol") for item in _named(inside, "li")]
        return (text_of(label), label.get("href", ""), inner) if label is not None else ("", "", inner)

    navs = list(children(page, "nav"))
    toc = [nav for nav in navs if "toc" in (nav.get(TYPE) or "").split()]
    for nav in (toc or navs)[:1]:
        for top in list(children(nav, "ol"))[:1]:
            yield from _walk(_named(top, "li"), read)


def ncx_rows(page: Any) -> Iterator[ContentsRow]:
    """Yield the rows of an NCX in their order."""

    def read(tag: Any) -> tuple[str, str, list[Any]]:
        title = "".join(text_of(label) for label in _named(tag, "navLabel")[:1])
        href = "".join(content.get("src", "") for content in _named(tag, "content")[:1])
        return title, href, _named(tag, "navPoint")

    for top in list(children(page, "navMap"))[:1]:
        yield from _walk(_named(top, "navPoint"), read)


def _walk(tops: Sequence[Any], read: Callable[[Any], tuple[str, str, list[Any]]]) -> Iterator[ContentsRow]:
    """Yield rows with those below them, without recursion: a file may be as deep as it likes."""
    waiting: list[tuple[Any, tuple[str, ...]]] = [(tag, ()) for tag in reversed(tops)]
    while waiting:
        tag, above = waiting.pop()
        title, href, inner = read(tag)
        yield title, href, above, bool(inner)
        waiting += [(child, (*above, title) if title else above) for child in reversed(inner)]


def _named(tag: Any, name: str) -> list[Any]:
    return [child for child in tag if isinstance(child.tag, str) and child.tag.rpartition("}")[2] == name]


CONTAINER, ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
NCX_TYPE = "application/x-dtbncx+xml"
MOST_ENTRIES = 10_000


@dataclass(frozen=True, slots=True)
class BookPage:
    """A file of the reading order; `is_aside` is True for one that the book does not read in its order."""

    name: str
    blocks: list[Block]
    is_aside: bool


@dataclass(frozen=True, slots=True)
class Declared:
    """What a book says of itself; '' where it does not."""

    title: str = ""
    authors: tuple[str, ...] = ()
    language: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """What an EPUB holds; `missing` are files of the reading order that the archive lacks."""

    pages: list[BookPage]
    contents: list[ContentsEntry]
    missing: list[str]


@contextmanager
def _opened(data: bytes) -> "Iterator[_Package]":
    """Open an EPUB. Raises Unreadable."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield _Package.opened(archive)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, RuntimeError, KeyError) as error:
        raise Unreadable(Message("ingest.not_epub", reason=error), Message("ingest.save_as_txt")) from error


def read_book(data: bytes) -> Book:
    with _opened(data) as package:
        return package.book()


def declared(data: bytes) -> Declared:
    """Return what an EPUB says of itself. Raises Unreadable."""
    with _opened(data) as package:
        return package.declared()


@dataclass(frozen=True, slots=True)
class _Package:
    """An open archive with its package document; `files` are its names by their lower-case spelling."""

    archive: zipfile.ZipFile
    files: dict[str, str]
    folder: str
    package: Any
    items: dict[str, Any]

    @classmethod
    def opened(cls, archive: zipfile.ZipFile) -> "_Package":
        """Find and read the package document. Raises Unreadable."""
        files = {name.lower(): name for name in archive.namelist()}
        roots = list(children(parsed_xml(archive.read(CONTAINER)), "rootfile")) if CONTAINER.lower() in files else []
        path = unquote(roots[0].get("full-path", "")) if roots else ""
        path = path or next((name for name in archive.namelist() if name.endswith(".opf")), "")
        if path.lower() not in files:
            raise Unreadable(Message("ingest.epub_without_list"), Message("ingest.save_as_txt"))
        package = parsed_xml(archive.read(files[path.lower()]))
        items = {item.get("id"): item for item in children(package, "item") if item.get("href")}
        return cls(archive, files, posixpath.dirname(path), package, items)

    def book(self) -> Book:
        """Read pages and contents. Raises Unreadable for a locked book and for one without pages."""
        spine = [(self._path(item.get("href")), row) for row in children(self.package, "itemref")
                 if (item := self.items.get(row.get("idref"))) is not None and not self._is_contents(item)]  # fmt: skip
        encryption = self.files.get(ENCRYPTION.lower())
        locks = children(parsed_xml(self.archive.read(encryption)), "CipherReference") if encryption else ()
        locked = {self._path(tag.get("URI", ""), "") for tag in locks}
        if any(name in locked for name, _ in spine):
            raise Unreadable(Message("ingest.has_drm"), Message("ingest.choose_unencrypted"))
        sources = {name: self._read(name) for name, _ in spine}
        soups = {name: parsed(source) for name, source in sources.items() if source is not None}
        notes = _anchors_of_notes(soups)
        pages = [
            BookPage(name, page_blocks(soups[name], notes.get(name, ())), row.get("linear") == "no")
            for name, row in spine
            if name in soups
        ]
        if not any(page.blocks for page in pages):
            raise Unreadable(Message("ingest.book_without_text"), Message("file.choose_one_with_text"))
        return Book(
            pages=pages,
            contents=list(islice(self._contents(), MOST_ENTRIES)),
            missing=[name for name, source in sources.items() if source is None],
        )

    def declared(self) -> Declared:
        title, language = (next(self._meta(name), "") for name in ("title", "language"))
        return Declared(title, tuple(self._meta("creator")), language)

    def _meta(self, name: str) -> Iterator[str]:
        yield from filter(None, map(text_of, children(self.package, name)))

    def _path(self, href: str, folder: str | None = None) -> str:
        """Return the name in the archive of an address relative to a folder, that of the package by default."""
        path = posixpath.normpath(posixpath.join(self.folder if folder is None else folder, unquote(href)))
        return self.files.get(path.lower(), path)

    def _read(self, name: str) -> str | None:
        """Return the text of a page, None where it is missing; what is wrongly encoded is replaced."""
        if name not in self.archive.NameToInfo:
            return None
        return decoded(self.archive.read(name))

    def _is_contents(self, item: Any) -> bool:
        return "nav" in (item.get("properties") or "").split()

    def _contents(self) -> Iterator[ContentsEntry]:
        """Yield the entries of the navigation document, else those of the NCX."""
        nav = next((item for item in self.items.values() if self._is_contents(item)), None)
        spine = next(children(self.package, "spine"), None)
        ncx = self.items.get(spine.get("toc") or "") if spine is not None else None
        if ncx is None:
            ncx = next((item for item in self.items.values() if item.get("media-type") == NCX_TYPE), None)
        for item, reader in ((nav, nav_rows), (ncx, ncx_rows)):
            name = self._path(item.get("href")) if item is not None else ""
            rows = list(reader(parsed_xml(self.archive.read(name)))) if name in self.archive.NameToInfo else []
            for title, address, above, has_more in rows:
                href, _, anchor = address.partition("#")
                page = self._path(href, posixpath.dirname(name)) if href else ""
                yield ContentsEntry(title, page, unquote(anchor), above, has_more)
            if rows:
                return


def decoded(data: bytes) -> str:
    """Return the text of a page in the encoding that it declares, else UTF-8."""
    from bs4.dammit import UnicodeDammit

    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return UnicodeDammit(data, is_html=True).unicode_markup or data.decode("utf-8", "replace")


def _anchors_of_notes(soups: dict[str, Any]) -> dict[str, set[str]]:
    """Return the anchors of notes to which earlier pages refer, by page; a later one that links back is a note's."""
    order = {name: at for at, name in enumerate(soups)}
    found: dict[str, set[str]] = {}
    for name, soup in soups.items():
        for link in filter(is_reference, soup.find_all("a", href=True)):
            path, _, anchor = str(link["href"]).partition("#")
            page = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(path)))
            if path and order.get(page, -1) > order[name]:
                found.setdefault(page, set()).add(unquote(anchor))
    return found
