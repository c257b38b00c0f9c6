"""HTML and XHTML through BeautifulSoup: lines, headings, tables row by row, notes. Scripts are dropped."""

import re
import warnings
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tools.language import CHINESE
from wenmai.formats.blocks import Block
from wenmai.formats.tables import table_rows

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

_TEXT = ("p", "div", "li", "blockquote", "pre", "dd", "dt", "br", "hr", "tr", "figure")
_PARTS = ("section", "article", "aside", "header", "footer", "main")
HEADINGS = frozenset(f"h{level}" for level in range(1, 7))
BLOCKS = frozenset((*_TEXT, *_PARTS, *HEADINGS))
DROPPED = ("script", "style", "template", "noscript", "head", "nav", "svg", "iframe", "object", "rt", "rp")
HOLDERS = ("p", "li", "aside", "dd", "div", "section")  # what holds a note to which a reference points
LONGEST_NOTE = 3_000
MOST_SPANNED = 1_000  # rows or columns, as browsers have it
LONGEST_SPANNED = 200  # characters that are repeated
_NOTES = ("footnote", "endnote", "rearnote")
NOTE_TYPES = frozenset((*_NOTES, *(f"{name}s" for name in _NOTES), *(f"doc-{name}" for name in _NOTES)))
REFERENCE_TYPES = frozenset(("noteref", "doc-noteref", "duokan-footnote"))
TERM_JOINT = ", "
BACK = frozenset("↑↩⏎^")
_SEAM = re.compile(rf"(?<={CHINESE.pattern})\s*\n\s*(?={CHINESE.pattern})")
_MARK = re.compile(r"[\[［(（〔【]?(?:[注註]?\d{1,3}|[*†‡※①-⑳]+|[注註])[\]］)）〕】]?")


def parsed(text: str) -> "BeautifulSoup":
    from bs4 import BeautifulSoup

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that XHTML is read as HTML, which is meant
        soup = BeautifulSoup(text, "html.parser")
    return soup


def page_blocks(soup: "BeautifulSoup", notes: Collection[str] = ()) -> list[Block]:
    """Return the blocks of a page; `notes` are anchors of notes to which other pages refer."""
    for tag in soup.find_all(DROPPED):
        tag.decompose()
    for table in reversed(soup.find_all("table")):  # the inner ones first
        plain = soup.new_tag("pre")
        plain.string = "\n".join(table_rows(spanned_rows(table)))
        table.replace_with(plain)
    references = _own_references(soup)
    return _Walk(_note_tags(soup, {*notes, *references.values()}), references).blocks(soup)


def spanned_rows(table: "Tag") -> list[list[str]]:
    """Return the texts of a table's cells; one over several rows or columns stands in each of their places."""
    rows: list[list[str]] = []
    above: dict[int, tuple[int, str]] = {}  # by column how many rows more a cell reaches down
    for row in table.find_all("tr"):
        cells: list[str] = []
        for cell in row.find_all(("td", "th")):
            _take_from_above(cells, above)
            text = cell.get_text(" ")
            is_short = len(text) <= LONGEST_SPANNED  # a text of its own stands once
            for at in range(min(_span(cell, "colspan"), max(1, MOST_SPANNED - len(cells)))):
                above[len(cells)] = _span(cell, "rowspan") - 1, text if is_short else ""
                cells.append(text if is_short or at == 0 else "")
        _take_from_above(cells, above)
        rows.append(cells)
    return rows


def _take_from_above(cells: list[str], above: dict[int, tuple[int, str]]) -> None:
    while above.get(len(cells), (0, ""))[0] > 0:
        left, text = above[len(cells)]
        above[len(cells)] = left - 1, text
        cells.append(text)


def _span(cell: "Tag", name: str) -> int:
    digits = str(cell.get(name, "1"))
    return min(max(1, int(digits)), MOST_SPANNED) if digits.isdecimal() else 1


def is_reference(tag: "Tag") -> bool:
    """Return True for a link to a note: declared as one, or a raised or bracketed number."""
    if _types(tag) & REFERENCE_TYPES:
        return True
    label = tag.get_text().strip()
    is_raised = tag.find("sup") is not None or (tag.parent is not None and tag.parent.name == "sup")
    return "#" in str(tag.get("href", "")) and bool(_MARK.fullmatch(label)) and (is_raised or not label.isdecimal())


def _types(tag: "Tag") -> set[str]:
    found: set[str] = set()
    for name in ("epub:type", "role", "class"):
        value = tag.get(name) or ""
        found.update(value.split() if isinstance(value, str) else value)
    return found


def _own_references(soup: "BeautifulSoup") -> dict[int, str]:
    """Return the anchor to which each reference to a note further down on its page points; a link back is none."""
    places = {str(tag["id"]): at for at, tag in enumerate(soup.find_all(True)) if tag.get("id")}
    found: dict[int, str] = {}
    for at, tag in enumerate(soup.find_all(True)):
        if tag.name != "a" or not is_reference(tag):
            continue
        name, _, anchor = str(tag.get("href", "")).partition("#")
        if name or places.get(anchor, at) > at or not anchor:
            found[id(tag)] = anchor
    return found


def _note_tags(soup: "BeautifulSoup", anchors: Collection[str]) -> set[int]:
    """Return the tags that hold notes: declared ones, and those that references point at."""
    found = {id(tag) for tag in soup.find_all(True) if _types(tag) & NOTE_TYPES and tag.name not in ("a", "sup")}
    for tag in soup.find_all(id=list(anchors)) if anchors else ():
        holder = tag if tag.name in HOLDERS else tag.find_parent(HOLDERS)
        if holder is not None and len(holder.get_text()) <= LONGEST_NOTE:
            found.add(id(holder))
    return found


@dataclass(slots=True)
class _Walk:
    """Goes through a page with a stack, however deep it is, and puts its lines together."""

    notes: Collection[int]
    references: dict[int, str]
    found: list[Block] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    """The open line."""
    ids: list[str] = field(default_factory=list)
    refers: list[str] = field(default_factory=list)
    level: int | None = None
    plain: int = 0
    """How many preformatted tags are open."""
    depth: int = 0
    """How many tags that hold notes are open."""
    terms: list[str] = field(default_factory=list)
    """Terms of a list whose definition comes next."""
    begun: int = 0
    """How many lines there were before the open term."""

    def blocks(self, page: "Tag") -> list[Block]:
        from bs4.element import PreformattedString, Tag

        above, inside = [page], [iter(page.children)]
        while inside:
            node = next(inside[-1], None)
            if node is None:
                inside.pop()
                self._leave(above.pop())
            elif isinstance(node, Tag):
                above.append(node)
                inside.append(iter(node.children) if self._enter(node) else iter(()))
            elif not isinstance(node, PreformattedString):  # comments and declarations are no text
                self._add(str(node))
        self._end()
        return self.found

    def _enter(self, tag: "Tag") -> bool:
        """Begin a tag; return False for one whose text is none of the page's."""
        if tag.name in BLOCKS:
            self._end()
        if id(tag) in self.notes:
            self._end()
            self.depth += 1
        self.plain += tag.name == "pre"
        if tag.name == "dt":
            self.begun = len(self.found)
        if tag.name in HEADINGS:
            self.level = int(tag.name[1])
        if "title" in _types(tag) and tag.name == "h1":
            self.level = 0
        self.ids += [str(tag[name]) for name in ("id", "name") if tag.get(name) and (name == "id" or tag.name == "a")]
        if id(tag) in self.references:
            self.refers.append(self.references[id(tag)])
            return False
        return not (tag.name == "a" and (is_reference(tag) or tag.get_text().strip() in BACK))

    def _leave(self, tag: "Tag") -> None:
        if tag.name in BLOCKS or id(tag) in self.notes:
            self._end()
        self.plain -= tag.name == "pre"
        if tag.name in HEADINGS:
            self.level = None
        if id(tag) in self.notes:
            self.depth -= 1
        if tag.name == "dt":
            self.terms += [block.text for block in self.found[self.begun :]]
            self.ids += [anchor for block in self.found[self.begun :] for anchor in block.ids]
            del self.found[self.begun :]
        elif tag.name == "dl" and self.terms:
            self._say("")

    def _add(self, text: str) -> None:
        """Add text; its line ends are blanks but for preformatted ones, between Chinese characters nothing."""
        if not self.plain:
            self.parts.append(_SEAM.sub("", text))
            return
        first, *rest = text.split("\n")
        self.parts.append(first)
        for line in rest:
            self._end()
            self.parts.append(line)

    def _end(self) -> None:
        """End a line; anchors of an empty one stand at the next."""
        text = " ".join("".join(self.parts).split())
        self.parts = []
        if text:
            self._say(text)

    def _say(self, text: str) -> None:
        """Add a line; the first of a definition has its terms before it."""
        terms, self.terms = TERM_JOINT.join(self.terms), []
        text = f"{terms}: {text}" if terms and text else terms or text
        refers, ids = tuple(self.refers), tuple(self.ids)
        self.found.append(Block(text=text, level=self.level, ids=ids, refers=refers, is_note=self.depth > 0))
        self.ids, self.refers = [], []
