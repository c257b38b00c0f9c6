"""A book written in the formats that are taken in: the same chapters, as files of each kind have them."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from html import escape
from pathlib import Path

from benchmarks.leak_books import Book, TrueChapter, text_of
from tests.book_files import docx, epub, paragraph, run
from tools.text.sentences import statement_spans

SENDERS = ("Ada", "Bo")
"""Who tells a book in a chat, message by message in turns: names that are in none of the books."""
FIRST_DAY = date(2024, 1, 1)
SECONDS = 4  # of a subtitle

Writer = Callable[[Sequence[TrueChapter]], str | bytes]


def paragraphs_of(chapter: TrueChapter) -> list[str]:
    return [" ".join(one.split()) for one in chapter.text.split("\n") if one.strip()]


def html_page(chapter: TrueChapter) -> str:
    lines = "".join(f"<p>{escape(line)}</p>" for line in chapter.text.split("\n"))
    return f"<h2>{escape(chapter.title)}</h2>{lines}"


def wiki_dump(chapters: Sequence[TrueChapter]) -> str:
    pages = (
        f"<page><title>{escape(one.title)}</title><revision><text>{escape(one.text)}</text></revision></page>"
        for one in chapters
    )
    return f"<mediawiki>{''.join(pages)}</mediawiki>"


def epub_book(chapters: Sequence[TrueChapter]) -> bytes:
    """Return an EPUB of a page for each chapter, with a table of contents that names them all."""
    nav = "".join(f'<li><a href="{at}.xhtml">{escape(one.title)}</a></li>' for at, one in enumerate(chapters, 1))
    return epub({f"{at}.xhtml": html_page(one) for at, one in enumerate(chapters, 1)}, nav=nav)


def word_file(chapters: Sequence[TrueChapter]) -> bytes:
    """Return a DOCX with a typed table of contents before its chapters."""
    contents = [paragraph(run(f"{escape(one.title)} {at}"), style="t1") for at, one in enumerate(chapters, 1)]
    blocks = [
        paragraph(run(escape(text)), style=style)
        for one in chapters
        for text, style in ((one.title, "h1"), *((line, "") for line in paragraphs_of(one)))
    ]
    return docx(*contents, *blocks, styles={"t1": "toc 1", "h1": "heading 1"})


def screenplay(chapters: Sequence[TrueChapter]) -> str:
    """Return a text in Fountain: a chapter is a scene, its text what is seen there."""
    return "\n\n".join(f".{one.title}\n\n" + "\n\n".join(f"!{line}" for line in paragraphs_of(one)) for one in chapters)


def chat(chapters: Sequence[TrueChapter]) -> str:
    """Return a chat as WhatsApp exports it: a chapter is a day, a paragraph a message; titles are not told."""
    lines = [
        f"{FIRST_DAY + timedelta(at):%d/%m/%Y}, {8 + minute // 60 % 16:02}:{minute % 60:02} - {sender}: {text}"
        for at, one in enumerate(chapters)
        for minute, text in enumerate(paragraphs_of(one))
        for sender in (SENDERS[minute % 2],)
    ]
    return "\n".join(lines)


def text_file(chapter: TrueChapter) -> str:
    return f"{chapter.title}\n\n{chapter.text}"


def note(chapter: TrueChapter) -> str:
    """Return a note of a vault: its front matter has the first sentence, which is shown as a property."""
    first = json.dumps(chapter.text[slice(*statement_spans(chapter.text)[0])], ensure_ascii=False)
    return f"---\nsummary: {first}\ntags: [book]\n---\n# {chapter.title}\n\n{chapter.text}"


def subtitles(chapter: TrueChapter) -> str:
    """Return the subtitles of an episode, its title the first of them."""
    lines = [chapter.title, *paragraphs_of(chapter)]
    return "\n\n".join(f"{at}\n{clock(at)} --> {clock(at + 1)}\n{line}" for at, line in enumerate(lines, 1))


def clock(at: int) -> str:
    minutes, seconds = divmod(at * SECONDS, 60)
    return f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02},000"


FILES: Mapping[str, Writer] = {
    "html": lambda chapters: "".join(map(html_page, chapters)),
    "xml": wiki_dump,
    "epub": epub_book,
    "docx": word_file,
    "fountain": screenplay,
    "chat": chat,
}
"""One file of a whole book; a chat is a text."""
FOLDERS: Mapping[str, tuple[str, Callable[[TrueChapter], str]]] = {
    "folder": ("txt", text_file),
    "vault": ("md", note),
    "srt": ("srt", subtitles),
}
"""A folder of a file for each chapter."""
FORMS = ("txt", *FILES, *FOLDERS)


def written(data: Path, book: Book, path: Path, form: str) -> Path:
    """Write a book in a form; return its file or folder."""
    if form in FOLDERS:
        suffix, write = FOLDERS[form]
        path.mkdir()
        for at, one in enumerate(book.chapters, 1):
            (path / f"{at:03}.{suffix}").write_text(write(one), encoding="utf-8")
        return path
    content = FILES[form](book.chapters) if form in FILES else text_of(data, book.name)
    path = path.with_suffix(".txt" if form == "chat" else f".{form}")
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path
