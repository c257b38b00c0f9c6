"""The readers of formats: text, JSON, HTML, EPUB, DOCX and PDF to sections, read as uploaded documents are.

An EPUB's table of contents says where its chapters and volumes begin, else its headings do.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

from tools.messages import Message, Names, say
from wenmai.formats.aozora import aozora_blocks, is_aozora
from wenmai.formats.blocks import Block, Entry, Unreadable, entry_blocks, property_lines
from wenmai.formats.chats import chat_blocks, telegram_messages
from wenmai.formats.data import lorebook_entries
from wenmai.formats.docx import docx_blocks
from wenmai.formats.epub import Book, ContentsEntry, Declared, declared, parsed_xml, read_book
from wenmai.formats.markdown import MarkdownText, read_note
from wenmai.formats.pages import HEADINGS, page_blocks, parsed
from wenmai.formats.pdf import TITLE, level_of, read_pages
from wenmai.formats.plain import text_blocks
from wenmai.formats.scanned import without_scan_marks
from wenmai.formats.screenplay import screenplay_blocks
from wenmai.formats.subtitles import subtitle_blocks
from wenmai.formats.wiki import is_wiki, wiki_entries
from wenmai.formats.wrapping import SENTENCE_ENDS, joined, layout_of, unwrapped
from wenmai.ingestion.chapters.choice import TOC, ChapterChoice
from wenmai.ingestion.chapters.cutting import MIN_PREFACE, divide, titled_section
from wenmai.ingestion.chapters.headings import candidates
from wenmai.ingestion.chapters.notes import gathered, story_range
from wenmai.ingestion.chapters.records import (
    Division,
    Line,
    NoteKind,
    Section,
    TextNote,
    clean,
    clean_title,
    has_prose,
    lines_of,
    width,
)
from wenmai.ingestion.sources.decoding import Warn, check_archive, decode, refuse

LEAST_CHAPTERS = 2
ENTRY_LEVEL = 1  # of the heading of a page in a collection
VOLUME_SHARE = 0.8
"""Of the headings of a level so many are right above others, if they are volumes and no chapters."""


def divide_blocks(blocks: Sequence[Block], choice: ChapterChoice) -> Division:
    """Return the chapters of blocks; without any it is one. Notes are kept apart.

    Where the text names only the volumes, the headings below them are the chapters.
    """
    division = divide(text_of(blocks), choice=choice)
    level = chapter_level(blocks)
    above = {clean_title(one.text) for one in blocks if one.level is not None and level and one.level < level}
    headed = [one for one in division.sections if one.printed and clean_title(one.printed) not in above]
    if len(headed) < LEAST_CHAPTERS and level is not None and not choice:
        return Division(tuple(_by_level(blocks, level)), division.left_out)
    return replace(division, sections=tuple(with_notes(division.sections, 0, notes_of(blocks))))


def divide_entries(entries: Sequence[Entry]) -> Division:
    """Return a collection with a chapter for each page, and the other names that its pages have."""
    blocks = list(entry_blocks(replace(one, aliases=()) for one in entries))
    aliases = tuple((one.title, one.aliases) for one in entries if one.aliases)
    return Division(tuple(_by_level(blocks, ENTRY_LEVEL)), aliases=aliases)


def divide_headed(blocks: Sequence[Block], choice: ChapterChoice) -> Division:
    """Return a section for each heading of the lowest level, also where it is the only one: a chat's day, a scene."""
    level = max((block.level or 0 for block in blocks), default=0)
    return divide_blocks(blocks, choice) if choice or not level else Division(tuple(_by_level(blocks, level)))


def text_of(blocks: Sequence[Block]) -> str:
    return clean("\n".join(block.text for block in blocks if not block.is_note))


def notes_of(blocks: Sequence[Block]) -> tuple[TextNote, ...]:
    return tuple(TextNote("footnote", 0, block.text) for block in blocks if block.is_note)


def with_notes(sections: Sequence[Section], at: int, notes: Sequence[TextNote]) -> list[Section]:
    changed = list(sections)
    if changed and notes:
        changed[at] = replace(changed[at], notes=(*changed[at].notes, *notes))
    return changed


def chapter_level(blocks: Sequence[Block]) -> int | None:
    """Return the level of the headings that begin chapters: the highest with several that are no volumes."""
    heads = [(one.level, after.level) for one, after in pairwise((*blocks, Block(text="")))]
    for level in sorted({level for level, _ in heads if level}):
        after = [following for own, following in heads if own == level]
        inner = sum(following is not None and following > level for following in after)
        if len(after) >= LEAST_CHAPTERS and inner < VOLUME_SHARE * len(after):
            return level
    return None


def _by_level(blocks: Sequence[Block], level: int) -> list[Section]:
    """Return a section for each heading of a level, with the heading above it as its volume."""
    places = [at for at, block in enumerate(blocks) if block.level == level]
    above = [at for at, block in enumerate(blocks) if block.level is not None and block.level < level]
    volumes = [next((clean_title(blocks[one].text) for one in reversed(above) if one < at), "") for at in places]
    is_divided = len(set(volumes)) > 1
    sections = []
    for at, end, volume in zip(places, [*places[1:], len(blocks)], volumes, strict=True):
        body = [block for block in blocks[at + 1 : end] if block.level is None or block.level > level]
        section = titled_section(clean_title(blocks[at].text), text_of(body))
        sections.append(
            replace(
                section,
                volume=volume if is_divided else "",
                printed=blocks[at].text,
                notes=(*section.notes, *notes_of(body)),
            )
        )
    front = text_of([block for block in blocks[: places[0]] if block.level is None])
    return with_notes(sections, 0, [TextNote("front", 0, front)] if front else [])


def read_text(path: Path, data: bytes, choice: ChapterChoice, warn: Warn) -> Division:
    """Return the chapters of a plain text: of a chat its days, of a screenplay its scenes.

    Raises IngestError and InputError.
    """
    text = without_scan_marks(decode(path, data, warn))
    if is_aozora(text):
        return divide_aozora(list(aozora_blocks(clean(text))), choice)
    if blocks := text_blocks(clean(text)):
        return divide_headed(blocks, choice)
    return _unwrapped(divide(text, choice=choice))


def divide_aozora(blocks: Sequence[Block], choice: ChapterChoice) -> Division:
    """Return the chapters that a text of Aozora Bunko marks as such, else those of its lines."""
    story = [replace(block, level=block.level or None) for block in blocks if not block.is_note]
    apart = [TextNote("front", 0, "\n".join(block.text for block in blocks if block.is_note))]
    level = None if choice else chapter_level(story)
    division = divide_blocks(story, choice) if level is None else Division(tuple(_by_level(story, level)))
    return replace(division, sections=tuple(with_notes(division.sections, 0, apart)))


def read_markdown(path: Path, data: bytes, choice: ChapterChoice, warn: Warn) -> Division:
    """Return the chapters of a markdown text. Raises IngestError and InputError."""
    note = read_note(decode(path, data, warn))
    return with_front_matter(_unwrapped(divide(note.text, markdown=True, choice=choice)), note, path)


def read_vault_note(path: Path, data: bytes, choice: ChapterChoice, warn: Warn) -> Division:
    """Return a note of a vault as one chapter; one that has chapters of its own is divided into them.

    Raises IngestError and InputError.
    """
    note = read_note(decode(path, data, warn))
    division = divide(note.text, choice=choice)
    if len(division.sections) < LEAST_CHAPTERS:
        # The title stays in the text: what the note is about may be named nowhere else.
        text = clean(note.with_properties(aliases=False).strip().removeprefix("# "))
        section = titled_section(note.title or path.stem, text)
        division = Division((replace(section, printed=section.title),) if section.text else ())
    return replace(division, aliases=aliases_of(note, path))


def with_front_matter(division: Division, note: MarkdownText, path: Path) -> Division:
    """Return chapters with the note's properties, which are no story, and its other names."""
    properties = "\n".join(property_lines("", note.properties))
    sections = with_notes(division.sections, 0, [TextNote("front", 1, properties)] if properties else [])
    return replace(division, sections=tuple(sections), aliases=aliases_of(note, path))


def aliases_of(note: MarkdownText, path: Path) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the other names that a note gives to itself and to pages that it links to."""
    own = ((note.title or path.stem, note.aliases),) if note.aliases else ()
    return (*own, *((page, (label,)) for page, label in note.linked))


def read_subtitles(path: Path, data: bytes, choice: ChapterChoice, warn: Warn) -> Division:
    """Return subtitles as one chapter. Raises IngestError."""
    with _refusal(path):
        return divide_headed(subtitle_blocks(clean(decode(path, data, warn))), choice)


def read_screenplay(path: Path, data: bytes, choice: ChapterChoice, warn: Warn) -> Division:
    """Return the scenes of a screenplay. Raises IngestError."""
    return divide_headed(screenplay_blocks(clean(decode(path, data, warn))), choice)


def read_xml(path: Path, data: bytes, choice: ChapterChoice, warn: Warn) -> Division:
    """Return the pages of a wiki's dump. Raises IngestError."""
    with _refusal(path):
        root = parsed_xml(data)
        if is_wiki(root):
            return divide_entries(wiki_entries(root))
    raise refuse(path, Message("ingest.xml_without_pages"), Message("ingest.save_as_txt"))


def _unwrapped(division: Division) -> Division:
    """Return chapters without the line breaks of a layout that has a fixed width."""
    layout = layout_of(section.text for section in division.sections)
    if not layout:
        return division
    sections = tuple(replace(one, text=unwrapped(one.text, layout)) for one in division.sections)
    return replace(division, sections=sections)


def read_json(path: Path, data: bytes, choice: ChapterChoice, warn: Warn) -> Division:
    """Read the JSON shape, which says itself where chapters begin: 第N回 in a title is a number, else a free `n`.

    Of a lorebook every enabled entry is a chapter, of a chat every day.

    Raises IngestError.
    """
    if choice:
        raise refuse(path, Message("ingest.json_has_chapters"), Message("ingest.drop_chapter_options"))
    text = decode(path, data, warn)
    try:
        shape = json.loads(text.removeprefix("\ufeff"))
    except (json.JSONDecodeError, RecursionError) as exc:
        raise refuse(path, Message("file.wrong_json", reason=exc), Message("ingest.correct_and_import_again")) from exc
    if entries := lorebook_entries(shape):
        return divide_entries(entries)
    if messages := telegram_messages(shape):
        return divide_headed(chat_blocks(messages), choice)
    rows = shape.get("chapters") if isinstance(shape, dict) else shape
    if not isinstance(rows, list) or not rows:
        raise refuse(path, Message("ingest.json_without_chapters"), Message("ingest.json_shape"))
    sections: list[Section] = []
    for at, row in enumerate(rows, 1):
        if not isinstance(row, dict) or not isinstance(row.get("text"), str):
            raise refuse(path, Message("ingest.json_chapter_without_text", at=at), Message("ingest.json_shape"))
        title, story = clean_title(str(row.get("title") or "")), clean(row["text"].replace("\0", ""))
        first, _, rest = story.partition("\n")
        if title and "".join(first.split()) == "".join(title.split()):
            story = rest.strip()  # the text repeats its title
        number = row["n"] if isinstance(row.get("n"), int) and row["n"] >= 0 else None
        sections.append(titled_section(title, story, number))
    return Division(tuple(sections))


LEAST_PAGES = 3
_GOES_ON = tuple("，、,;；-")
_CLOSED = (*SENTENCE_ENDS, *"”’」』…\"'")
LEAST_LINE = 15
"""Characters of the last paragraph of a page, at least, if it goes on on the next."""


@contextmanager
def _refusal(path: Path) -> Iterator[None]:
    """Raise IngestError in place of Unreadable."""
    try:
        yield
    except Unreadable as error:
        raise refuse(path, error.reason, error.remedy) from error


def read_docx(path: Path, data: bytes, choice: ChapterChoice, warn: Warn) -> Division:
    """Return the chapters of a DOCX. Raises IngestError."""
    check_archive(path, data)
    with _refusal(path):
        return divide_blocks(docx_blocks(data), choice)


def read_html(path: Path, data: bytes, choice: ChapterChoice, warn: Warn) -> Division:
    """Return the chapters of a web page. Raises IngestError."""
    return divide_blocks(page_blocks(parsed(decode(path, data, warn))), choice)


def read_pdf(path: Path, data: bytes, choice: ChapterChoice, warn: Warn) -> Division:
    """Return the chapters of a PDF. Raises IngestError."""
    with _refusal(path):
        pages, unread = read_pages(data)
    for warning in unread:
        warn(say("ingest.warning_of_file", name=path.name, warning=warning))
    return divide_blocks([Block(text=line.lstrip(TITLE), level=level_of(line)) for line in running(pages)], choice)


def running(pages: Sequence[Sequence[str]]) -> list[str]:
    """Return the paragraphs of pages without running heads and empty lines; one that a page breaks is whole.

    What is marked as a title is no running head, and is no part of a paragraph.
    """
    filled = [[line for line in page if line.strip()] for page in pages]
    ends = [_ends(page) for page in filled]
    counts = Counter(
        end for page, places in zip(filled, ends, strict=True) for end in {page[at].strip() for at in places}
    )
    heads = {end for end, count in counts.items() if count >= max(LEAST_PAGES, len(pages) // 2)}
    found: list[str] = []
    for page, places in zip(filled, ends, strict=True):
        lines = [line for at, line in enumerate(page) if at not in places or line.strip() not in heads]
        last = found[-1] if found else ""
        goes_on = last.endswith(_GOES_ON) or (len(last) >= LEAST_LINE and not last.endswith(_CLOSED))
        if lines and goes_on and level_of(last) is None and level_of(lines[0]) is None:
            found[-1] = joined(last, lines.pop(0).lstrip())
        found += lines
    return found


def _ends(page: Sequence[str]) -> set[int]:
    """Return where the first and the last line of a page stand, titles apart."""
    places = [at for at, line in enumerate(page) if level_of(line) is None]
    return {*places[:1], *places[-1:]}


_NO_STORY: tuple[tuple[NoteKind, str], ...] = (
    ("contents", r"目[录錄次]|contents|table of contents|toc"),
    ("footnote", r"注[释釋解]|註[釋解]|脚注|尾注|(?:foot|end)?notes"),
    (
        "front",
        r"封面|封底|扉页|扉頁|书名页|書名頁|版[权權].{0,4}|cover|title ?page|half ?title.*|copyright.*|imprint",
    ),
    ("author", r"作者(?:简介|簡介)|[关關][于於]作者|about the author"),
)
_BLANKS = re.compile(r"\W+")


def read_epub(path: Path, data: bytes, choice: ChapterChoice, warn: Warn) -> Division:
    """Return the chapters of an EPUB with their volumes; its contents count before its headings.

    Raises:
        IngestError: it cannot be read.
        InputError: the choice fits no line.
    """
    check_archive(path, data)
    with _refusal(path):
        book = read_book(data)
    if book.missing:
        warn(say("ingest.book_files_missing", name=path.name, count=len(book.missing), files=Names(book.missing[:3])))
    book, licence = without_licence(book)
    pages = [page.blocks for page in book.pages if not page.is_aside]
    listed = [] if choice and choice.pattern != TOC else _by_contents(book)
    if len(listed) >= LEAST_CHAPTERS:
        return Division(tuple(with_notes(listed, 0, licence)))
    headed = divide_blocks([block for blocks in pages for block in blocks], choice)
    if len(headed.sections) >= LEAST_CHAPTERS or choice:
        return replace(headed, sections=tuple(with_notes(headed.sections, 0, licence)))
    for blocks in pages if not listed else ():
        if text_of(blocks):
            title = next((clean_title(block.text) for block in blocks if block.level is not None), "")
            body = blocks[1:] if blocks[0].level is not None and len(blocks) > 1 else blocks
            listed += with_notes([titled_section(title, text_of(body))], 0, notes_of(blocks))
    return Division(tuple(with_notes(listed, 0, licence)))


def without_licence(book: Book) -> tuple[Book, list[TextNote]]:
    """Return a book without the header and the licence of its publisher, and these as a note."""
    places = [(page, at) for page, one in enumerate(book.pages) for at in range(len(one.blocks))]
    lines = [Line(number, book.pages[page].blocks[at].text) for number, (page, at) in enumerate(places, 1)]
    start, end = story_range(lines)
    if (start, end) == (0, len(lines)):
        return book, []
    kept = set(places[start:end])
    pages = [
        replace(one, blocks=[block for at, block in enumerate(one.blocks) if (page, at) in kept])
        for page, one in enumerate(book.pages)
    ]
    return replace(book, pages=pages), [*gathered("licence", lines[:start]), *gathered("licence", lines[end:])]


def declared_of(path: Path, data: bytes) -> Declared:
    """Return what a book says of itself. Raises IngestError."""
    with _refusal(path):
        return declared(data)


@dataclass(slots=True)
class _Piece:
    """The blocks from one entry of the contents to the next; `entry` is None before the first."""

    entry: ContentsEntry | None
    heading: str = ""
    """The last heading of a higher level before it."""
    blocks: list[Block] = field(default_factory=list)


def _by_contents(book: Book) -> list[Section]:
    """Return the chapters that the table of contents names; what it does not name continues the one before.

    Their volumes are the entries above, else headings above, else entries without a text.
    """
    sections: list[Section] = []
    volumes: list[tuple[str, str, str]] = []
    waiting: list[TextNote] = []
    divider = ""
    pieces = list(_pieces(book))
    first = next((at for at, piece in enumerate(pieces) if piece.entry and _is_numbered(piece.entry.title)), 0)
    for at, piece in enumerate(pieces):
        story = _story(piece)
        text, notes = text_of(story), notes_of(piece.blocks)
        # Before the first numbered chapter the book's own title may be an entry, with its author below it.
        title = piece.entry.title if at < first and piece.entry else ""
        is_short = bool(text) and width(text) < MIN_PREFACE and not has_prose(lines_of(text))
        is_title = bool(title) and is_short and not candidates(title)
        kind = "front" if is_title else _note_kind(piece, text)
        if piece.entry is None or kind or not text:
            waiting += [TextNote(kind or "front", 0, text), *notes] if text else notes
            divider = clean_title(piece.entry.title) if piece.entry and not kind else divider
            continue
        section = titled_section(clean_title(piece.entry.title), text)
        heads = piece.blocks[: len(piece.blocks) - len(story)]
        printed = next((block.text for block in (*reversed(heads), *story[:1]) if block.level is not None), "")
        sections.append(replace(section, printed=printed, notes=(*waiting, *section.notes, *notes)))
        volumes.append((clean_title(" ".join(piece.entry.above)), piece.heading, divider))
        waiting = []
    ways = list(zip(*volumes, strict=True))
    if way := next((way for way in ways if any(way) and (way is ways[0] or len(set(way)) > 1)), None):
        sections = [replace(one, volume=volume) for one, volume in zip(sections, way, strict=True)]
    return with_notes(sections, -1, waiting)


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
    plain = [_BLANKS.sub("", block.text).casefold() for block in piece.blocks]
    title = piece.entry.title if piece.entry else ""
    titles = {_BLANKS.sub("", text).casefold() for text in (piece.heading, title)}
    return piece.blocks[next((at for at, text in enumerate(plain) if text not in titles), len(plain)) :]


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


def _is_numbered(title: str) -> bool:
    known = (one for one in candidates(title) if not one.form.run)
    return any(one.level == "chapter" and one.number is not None for one in known)


def _chapter_entries(contents: Sequence[ContentsEntry]) -> list[ContentsEntry]:
    """Return the entries without those below a numbered chapter, which is no volume."""
    numbered = {(*entry.above, entry.title) for entry in contents if entry.has_more and _is_numbered(entry.title)}
    return [
        replace(entry, has_more=entry.has_more and (*entry.above, entry.title) not in numbered)
        for entry in contents
        if not any(entry.above[:size] in numbered for size in range(1, len(entry.above) + 1))
    ]


def _places(page: str, blocks: Sequence[Block], entries: Sequence[ContentsEntry]) -> dict[int, ContentsEntry]:
    """Return where on a page entries point, one to a place; a chapter goes before the volume that begins there."""
    anchors = {anchor: at for at, block in reversed(list(enumerate(blocks))) for anchor in block.ids}
    found: dict[int, ContentsEntry] = {}
    for entry in entries:
        if entry.page == page:
            at = anchors.get(entry.anchor, 0)
            if at not in found or found[at].has_more:
                found[at] = entry
    return found
