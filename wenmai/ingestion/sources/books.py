"""EPUB to sections: its table of contents says where chapters and volumes begin, else its headings do."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tools.wording import Names, Words
from wenmai.formats.blocks import Block, Unreadable
from wenmai.formats.epub import Book, Declared, Entry, declared, read_book
from wenmai.formats.pages import HEADINGS
from wenmai.ingestion.chapters.choice import TOC, ChapterChoice
from wenmai.ingestion.chapters.cutting import MIN_PREFACE, titled_section
from wenmai.ingestion.chapters.forms import candidates
from wenmai.ingestion.chapters.records import NoteKind, TextNote
from wenmai.ingestion.sources.decoding import check_archive
from wenmai.ingestion.sources.files import LEAST_CHAPTERS, divide_blocks, notes_of, text_of, with_notes
from wenmai.ingestion.sources.sources import Division, Section, Warn, clean_title, refuse

MISSING = Words("{name}：缺少书中的 {count} 个文件：{files}", "{name}: {count} files of the book are missing: {files}")
_NO_STORY: tuple[tuple[NoteKind, str], ...] = (
    ("contents", r"目[录錄次]|contents|table of contents|toc"),
    ("footnote", r"注[释釋解]|註[釋解]|脚注|尾注|(?:foot|end)?notes"),
    (
        "front",
        r"封面|封底|扉页|扉頁|书名页|書名頁|版[权權].{0,4}|cover|title ?page|half ?title.*|copyright.*|imprint",
    ),
    ("author", r"作者(?:简介|簡介)|[关關][于於]作者|about the author"),
)
_FRONT = re.compile(r"^(?:(?P<title>Title|书名|書名)|Author|作者)\s*[:：][ \t]*(?P<value>\S.{0,80})$", re.MULTILINE)
_BLANKS = re.compile(r"\W+")


def read_epub(path: Path, data: bytes, choice: ChapterChoice, warn: Warn) -> Division:
    """Return the chapters of an EPUB with their volumes; its contents count before its headings.

    Raises:
        IngestError: it cannot be read.
        InputError: the choice fits no line.
    """
    book = opened(path, data)
    if book.missing:
        warn(MISSING.say(name=path.name, count=len(book.missing), files=Names(book.missing[:3])))
    pages = [page.blocks for page in book.pages if not page.is_aside]
    listed = [] if choice and choice.pattern != TOC else _by_contents(book)
    if len(listed) >= LEAST_CHAPTERS:
        return Division(tuple(listed))
    headed = divide_blocks([block for blocks in pages for block in blocks], choice)
    if len(headed.sections) >= LEAST_CHAPTERS or choice:
        return headed
    return Division(tuple(listed or [_of_page(blocks) for blocks in pages if text_of(blocks)]))


def declared_of(path: Path, data: bytes) -> Declared:
    """Return what a book says of itself. Raises IngestError."""
    try:
        return declared(data)
    except Unreadable as error:
        raise refuse(path, error.reason, error.remedy) from error


def front_matter(division: Division) -> Declared | None:
    """Return the title and the author that stand in front of a text, None where no line says its title."""
    front = [note.text for one in division.sections[:1] for note in one.notes if note.kind in ("licence", "front")]
    said: dict[str, str] = {}
    for match in _FRONT.finditer("\n".join(front)):
        said.setdefault("title" if match["title"] else "author", match["value"].strip().strip("《》"))
    if "title" not in said:
        return None
    return Declared(title=clean_title(said["title"]), authors=(said["author"],) if "author" in said else ())


def opened(path: Path, data: bytes) -> Book:
    """Read an EPUB. Raises IngestError."""
    check_archive(path, data)
    try:
        return read_book(data)
    except Unreadable as error:
        raise refuse(path, error.reason, error.remedy) from error


def _of_page(blocks: Sequence[Block]) -> Section:
    title = next((clean_title(block.text) for block in blocks if block.level is not None), "")
    body = blocks[1:] if blocks[0].level is not None and len(blocks) > 1 else blocks
    [section] = with_notes([titled_section(title, text_of(body))], 0, notes_of(blocks))
    return section


@dataclass(slots=True)
class _Piece:
    """The blocks from one entry of the contents to the next; `entry` is None before the first."""

    entry: Entry | None
    heading: str = ""
    """The last heading of a higher level before it."""
    blocks: list[Block] = field(default_factory=list)


def _by_contents(book: Book) -> list[Section]:
    """Return the chapters that the table of contents names; what it does not name continues the one before."""
    sections: list[Section] = []
    volumes: list[tuple[str, str, str]] = []
    waiting: list[TextNote] = []
    divider = ""
    for piece in _pieces(book):
        story = _story(piece)
        text, notes = text_of(story), notes_of(piece.blocks)
        kind = _note_kind(piece, text)
        if piece.entry is None or kind or not text:
            waiting += [TextNote(kind or "front", 0, text), *notes] if text else notes
            divider = clean_title(piece.entry.title) if piece.entry and not kind else divider
            continue
        title = clean_title(piece.entry.title)
        section = titled_section(title, text)
        printed = _printed(piece, story)
        sections.append(replace(section, printed=printed, notes=(*waiting, *section.notes, *notes)))
        volumes.append((clean_title(" ".join(piece.entry.above)), piece.heading, divider))
        waiting = []
    return with_notes(_with_volumes(sections, volumes), -1, waiting)


def _with_volumes(sections: list[Section], volumes: Sequence[tuple[str, str, str]]) -> list[Section]:
    """Return chapters with their volumes: the entries above, else headings above, else entries without a text."""
    ways = list(zip(*volumes, strict=True))
    way = next((way for way in ways if any(way) and (way is ways[0] or len(set(way)) > 1)), None)
    return [replace(one, volume=volume) for one, volume in zip(sections, way, strict=True)] if way else sections


def _note_kind(piece: _Piece, text: str) -> NoteKind | None:
    """Return what an entry is if it is no story: a cover, a table of contents, a page that only names a volume."""
    if piece.entry is None:
        return None
    if piece.entry.has_more and len(text) < MIN_PREFACE:
        return "front"
    title = piece.entry.title.strip()
    return next((kind for kind, words in _NO_STORY if re.fullmatch(words, title, re.IGNORECASE)), None)


def _story(piece: _Piece) -> list[Block]:
    """Return the blocks of a chapter without its title and the heading of its volume."""
    titles = {_plain(piece.heading), _plain(piece.entry.title if piece.entry else "")}
    first = next((at for at, block in enumerate(piece.blocks) if _plain(block.text) not in titles), len(piece.blocks))
    return piece.blocks[first:]


def _printed(piece: _Piece, story: Sequence[Block]) -> str:
    heads = piece.blocks[: len(piece.blocks) - len(story)]
    return next((block.text for block in (*reversed(heads), *story[:1]) if block.level is not None), "")


def _plain(text: str) -> str:
    return _BLANKS.sub("", text).casefold()


def _pieces(book: Book) -> Iterator[_Piece]:
    """Cut the pages at the entries of the contents; headings right before an entry's own belong to neither."""
    entries = _chapter_entries(book.contents)
    piece, above = _Piece(None), list[Block]()
    for page in book.pages:
        places = {} if page.is_aside else _places(page.name, page.blocks, entries)
        for at, block in enumerate(page.blocks):
            level = len(HEADINGS) + 1 if block.level is None else block.level
            if entry := places.get(at):
                while piece.blocks and piece.blocks[-1].level is not None:
                    piece.blocks.pop()
                yield piece
                above = [one for one in above if (one.level or 0) < level]
                piece = _Piece(entry, above[-1].text if above else "")
            piece.blocks.append(replace(block, is_note=block.is_note or page.is_aside))
            if block.level is not None:
                above = [*(one for one in above if (one.level or 0) < level), block]
    yield piece


def _chapter_entries(contents: Sequence[Entry]) -> list[Entry]:
    """Return the entries without those below a numbered chapter, which is no volume."""
    numbered = {(*entry.above, entry.title) for entry in contents if entry.has_more and _is_chapter(entry.title)}
    kept = [entry for entry in contents if not any(entry.above[:size] in numbered for size in _sizes(entry))]
    return [replace(entry, has_more=entry.has_more and (*entry.above, entry.title) not in numbered) for entry in kept]


def _is_chapter(title: str) -> bool:
    return any(one.level == "chapter" and one.number is not None and not one.form.run for one in candidates(title))


def _sizes(entry: Entry) -> range:
    return range(1, len(entry.above) + 1)


def _places(page: str, blocks: Sequence[Block], entries: Sequence[Entry]) -> dict[int, Entry]:
    """Return where on a page entries point, one to a place; a chapter goes before the volume that begins there."""
    anchors = {anchor: at for at, block in reversed(list(enumerate(blocks))) for anchor in block.ids}
    found: dict[int, Entry] = {}
    for entry in entries:
        if entry.page == page:
            at = anchors.get(entry.anchor, 0)
            if at not in found or found[at].has_more:
                found[at] = entry
    return found
