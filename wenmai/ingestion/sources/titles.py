"""What a book is called and who wrote it: by its first lines, else by the name of its file."""

import re
from collections.abc import Sequence

from wenmai.formats.epub import Declared
from wenmai.ingestion.chapters.records import Division, Section, clean_title, width

FRONT_LINES = 12
"""Lines in front of the first chapter in which title and author are looked for."""
BEGINNING = 500  # characters of a text without headings in which its first paragraph must end
LONGEST_TITLE, LONGEST_AUTHOR = 30, 20  # in Chinese characters
_LABELLED = re.compile(r"^(?:(?P<title>Title|书名|書名)|Author|作者)\s*[:：][ \t]*(?P<value>\S.{0,80})$", re.IGNORECASE)
_TITLED = re.compile(r"^《(?P<title>[^《》]{1,40})》$")
_HELPER = (
    r"(?!(?:written|translated|edited|illustrated|produced|compiled|retold|adapted|introduced|published|prepared"
    r"|transcribed|revised|selected|annotated|printed|distributed|scanned|digitized|proofread)(?:\s+and\s+\w+)?\s+by\b)"
)
"""What stands before the name of one who is no author, or before an author in no title."""
_LINE_OF_BOTH = re.compile(
    rf"^{_HELPER}《?(?P<title>[^《》:：]{{1,60}}?)》?"
    r"(?:[\s　]*作者\s*[:：]\s*(?P<zh>\S.{0,40})|[\s　]+by[\s　]+(?P<en>(?-i:[^\W\d_a-z]).{0,40}))$",
    re.IGNORECASE,
)
_WRITTEN = re.compile(
    r"^(?:written\s+)?by\s+(?P<en>[^\W\d_][\w.,’' -]{2,60})$|^(?P<zh>[^\s。，：:]{2,16}?)\s*[著着撰]$", re.IGNORECASE
)
_NAME = re.compile(
    r"^(?:[一-鿿々ぁ-ヺー·]{2,8}|[一-鿿]{1,3}[ 　][一-鿿々ぁ-ヺー]{1,4}|[A-Z][\w.’-]*(?: [A-Z][\w.’-]*){1,3})$"
)
"""The shape of a person's name on a line of its own."""
_ENDS = re.compile(r"[。！？!?；;，,：:…]$|(?<![A-Z])\.$")
_NO_TITLE = re.compile(
    r"^(?:[目目]\s*[录錄次]|contents|table of contents|内容简介|內容簡介|简介|簡介|前言|copyright.*|\W*|.*https?://.*)$",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"[\[【（(〔［][^\[\]【】（）()〔〕［］]*[\]】）)〕］]")
_BY = re.compile(
    r"[\s_-]*作者\s*[:：]?\s*(?P<zh>[^\s_]\S*(?:[ _][A-Z]\S*){0,3})$"
    r"|[\s_-]+by[\s_]+(?P<en>[一-鿿]{2,4}|(?-i:[^\W\d_a-z])[^\s_]*(?:[ _](?-i:[^\W\d_a-z])[^\s_]*){1,3})$",
    re.IGNORECASE,
)
"""An English author has several names: Stand by Me has none."""
_TAGS = re.compile(r"[\s_.-]*(?:精校版?|全本|全集|完本|完结|txt|utf-?8|gbk|最终版|final)$", re.IGNORECASE)


def declared_by(division: Division) -> Declared | None:
    """Return the title and the author that stand in front of a text; None where no line says its title."""
    said: dict[str, str] = {}
    notes = [note for one in division.sections[:1] for note in one.notes if note.kind in ("licence", "front")]
    for line in (line for note in notes for line in _plain_lines(note.text)):
        if match := _LABELLED.match(line):
            said.setdefault("title" if match["title"] else "author", match["value"].strip("《》 "))
    near = _first_lines(division.sections)
    for at, line in enumerate(near):
        if both := _LINE_OF_BOTH.match(line):
            said.setdefault("title", both["title"])
            said.setdefault("author", both["zh"] or both["en"])
        elif (written := _WRITTEN.match(line)) and width(line) <= LONGEST_AUTHOR:
            said.setdefault("author", written["en"] or written["zh"])
            if at and _is_title(near[at - 1]):
                said.setdefault("title", near[at - 1])
        elif titled := _TITLED.match(line):
            said.setdefault("title", titled["title"])
    if "title" not in said and 0 < len(near) <= len(("title", "author")) and _is_title(near[0]):
        # Nothing else stands before the first chapter.
        is_whole = len(near) == 1 or bool(_NAME.match(near[1]))
        said |= dict(zip(("title", "author"), near, strict=False)) if is_whole else {}
    if "title" not in said:
        return None
    title = clean_title(said["title"]).strip("《》")
    return Declared(title=title, authors=(clean_title(said["author"]),) if "author" in said else ())


def _first_lines(sections: Sequence[Section]) -> list[str]:
    """Return the lines that stand before the first heading; of a text without one its own first lines."""
    for one in sections[:1]:
        front = next((note.text for note in one.notes if note.kind == "front"), "")
        if not front and not one.printed and not one.notes:
            head, gap, _ = one.text[:BEGINNING].partition("\n\n")
            front = head if gap and head.count("\n") <= 1 else ""
        return _plain_lines(front)[:FRONT_LINES]
    return []


def _plain_lines(text: str) -> list[str]:
    return [line for line in (line.lstrip("#").strip() for line in text.split("\n")) if line]


def _is_title(line: str) -> bool:
    is_short = 0 < width(line) <= LONGEST_TITLE
    return is_short and not _ENDS.search(line) and not _NO_TITLE.match(line) and not _WRITTEN.match(line)


def declared_by_name(stem: str) -> Declared:
    """Return the title and the author in the name of a file, without what sites add to it."""
    name = stem.strip()
    if found := re.match(r"^.{0,10}?《(?P<title>[^《》]+)》(?P<rest>.*)$", name):
        return Declared(title=clean_title(found["title"]), authors=_authors(_BY.search(found["rest"])))
    author = _BY.search(name)
    plain = _BRACKETS.sub("", name[: author.start()] if author else name)
    while shorter := _TAGS.search(plain):
        plain = plain[: shorter.start()]
    plain = clean_title(plain.replace("_", " "))
    return Declared(title=plain or stem, authors=_authors(author))


def _authors(found: re.Match[str] | None) -> tuple[str, ...]:
    return ((found["zh"] or found["en"]).replace("_", " "),) if found else ()
