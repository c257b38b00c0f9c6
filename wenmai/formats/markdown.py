"""Markdown without its marks, line by line: front matter as properties, links and emphasis as their words."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Any

from tools.documents.records import DONE_TASK, OPEN_TASK
from wenmai.formats.blocks import property_lines

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?P<yaml>.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_WIKI_LINK = re.compile(r"(?P<embed>!?)\[\[(?P<page>[^\[\]|\n]*?)(?:#[^\[\]|\n]*)?(?:\|(?P<label>[^\[\]\n]*))?\]\]")
_FILE = re.compile(r"\.\w{2,5}$")
_COMMENT = re.compile(r"%%.*?%%|<!--.*?-->")
_CALLOUT = re.compile(r"^\[![\w-]+\][+-]?\s*")
_HEADING = re.compile(r"^#{1,6}\s")
_QUOTE = re.compile(r"^[ \t]*(?:>[ \t]?)+(?![ \t]*\d+[.、)）])")  # a numbered quotation is a choice of a script
_ITEM = re.compile(r"^\s*(?:>\s?)*\s*(?:[-*+]|\d{1,9}[.)])\s+")
_TASK = re.compile(r"\[([ xX])\]\s+")
_INLINE = re.compile(r"[\\`*_~\[<&]")  # what may begin a mark within a line
_TITLE_KEYS, _ALIAS_KEYS, _DATE_KEYS = ("title", "标题"), ("aliases", "alias", "别名"), ("date", "日期", "created")


@dataclass(frozen=True, slots=True)
class MarkdownText:
    """A Markdown text without its marks, and what its front matter says.

    Attributes:
        lines: as many as the text has, headings with their `#`; those of the front matter are empty.
        properties: values of the front matter as text, lists joined.
        aliases: other names of what the note is about.
        linked: pages that it links to, each with a shorter name that it gives them: [[Lena Strand|Lena]].
    """

    lines: Sequence[str]
    properties: Mapping[str, str]
    aliases: tuple[str, ...]
    linked: tuple[tuple[str, str], ...] = ()

    @property
    def title(self) -> str:
        """The title that the front matter gives, else the heading on the first line with text; '' without."""
        given = next((self.properties[key] for key in self.properties if key.lower() in _TITLE_KEYS), "")
        first = next((line for line in self.lines if line.strip()), "")
        return given or (first.lstrip("#").strip() if _HEADING.match(first) else "")

    @property
    def day(self) -> str:
        return next((self.properties[key] for key in self.properties if key.lower() in _DATE_KEYS), "")

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def with_properties(self, *, aliases: bool = True) -> str:
        """Return the text with its properties, a line each, under the heading that it begins with."""
        dropped = () if aliases else _ALIAS_KEYS
        kept = {key: one for key, one in self.properties.items() if one != self.title and key.lower() not in dropped}
        rows = property_lines(self.title, kept)
        if not rows:
            return self.text
        lines = list(self.lines)
        at = next((at for at, line in enumerate(lines) if line.strip()), 0)
        heading = lines.pop(at) if lines and _HEADING.match(lines[at]) else ""
        head = [*([heading] if heading else []), *rows]
        free = next((at for at, line in enumerate(lines) if line.strip()), len(lines))
        return "\n".join([*head, *lines[min(len(head) - bool(heading), free) :]])


def read_note(text: str) -> MarkdownText:
    """Read a Markdown text. Front matter that is no YAML mapping is text."""
    front = _FRONT_MATTER.match(text)
    values = _yaml(front["yaml"] or "") if front else None
    body = text
    if front and values is not None:
        body = "\n" * front[0].count("\n") + text[front.end() :]
    plain = [_without_links(line) for line in body.split("\n")]
    lines = _without_marks(plain)
    own = {key: _said(value) for key, value in (values or {}).items()}
    aliases = next((value for key, value in (values or {}).items() if key.lower() in _ALIAS_KEYS), ())
    others = aliases if isinstance(aliases, list) else [aliases or ""]
    return MarkdownText(
        lines,
        {key: value for key, value in own.items() if value},
        tuple(str(one).strip() for one in others if str(one).strip()),
        tuple(_shortened(body)),
    )


def _shortened(text: str) -> Iterator[tuple[str, str]]:
    """Yield the pages and labels of the links whose label is a part of the page's name."""
    for link in _WIKI_LINK.finditer(text):
        page, label = link["page"].strip(), (link["label"] or "").strip()
        if label and label != page and set(label.split()) < set(page.split()):
            yield page, label


def is_linked(text: str) -> bool:
    """Return True for a text with front matter or wiki links, as the notes of a vault have them."""
    front = _FRONT_MATTER.match(text)
    return bool(front and _yaml(front["yaml"] or "") is not None) or _WIKI_LINK.search(text) is not None


def _yaml(text: str) -> dict[str, Any] | None:
    import yaml

    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, yaml.SafeLoader)):
            return None  # a few aliases of aliases are gigabytes
        found = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return {str(key): value for key, value in found.items()} if isinstance(found, dict) else None


def _said(value: Any) -> str:
    """Return a value of the front matter as people write it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_said(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return ", ".join(filter(None, map(_said, value)))
    return _without_links(" ".join(str(value).split()))


def _without_links(line: str) -> str:
    """Return a line with wiki links as their words, and without embedded files and comments."""

    def words(link: re.Match[str]) -> str:
        page = link["page"].strip()
        if link["embed"] and _FILE.search(page):
            return ""
        return (link["label"] or page).strip()

    return _COMMENT.sub("", _WIKI_LINK.sub(words, line))


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    # An indented line is a paragraph of a story, not code; a table is read from its lines. The inside of blocks, which
    # takes most of the time, is parsed only where it has marks.
    return MarkdownIt("commonmark").enable("strikethrough").disable(["code", "reference", "inline"])


def _without_marks(lines: Sequence[str]) -> list[str]:
    found = list(lines)
    for token in _parser().parse("\n".join(lines)):
        if token.type == "inline" and token.map:
            for at, plain in zip(range(*token.map), _plain_lines(token.content), strict=False):
                found[at] = _replaced(lines[at], plain)
        elif token.type == "html_block" and token.map:
            for at in range(*token.map):
                found[at] = _without_tags(lines[at])
    return found


def _replaced(line: str, plain: str) -> str:
    """Return a line with its words in place of what the parser read them from; its heading and item marks stay."""
    if _HEADING.match(line):
        return f"{line[: len(line) - len(line.lstrip('# '))]}{plain}" if plain else line
    if (item := _ITEM.match(line)) and not _QUOTE.match(line):
        return f"{item[0]}{_TASK.sub(_box, plain, count=1) if _TASK.match(plain) else plain}"
    if quote := _QUOTE.match(line):
        line = line[quote.end() :]
    return f"{line[: len(line) - len(line.lstrip())]}{_CALLOUT.sub('', plain.lstrip())}"


def _box(task: re.Match[str]) -> str:
    return f"{OPEN_TASK if task[1] == ' ' else DONE_TASK} "


def _plain_lines(content: str) -> list[str]:
    if not _INLINE.search(content):
        return [line.strip() for line in content.split("\n")]
    children: list[Token] = []
    _parser().inline.parse(content, _parser(), {}, children)
    return "".join(_words(children)).split("\n")


def _words(children: "Sequence[Token]") -> Iterator[str]:
    for token in children:
        if token.type in ("softbreak", "hardbreak"):
            yield "\n"
        elif token.type == "image":
            yield from _words(token.children or [])
        elif token.type == "html_inline":
            yield "\n" * token.content.count("\n")
        else:
            yield token.content


def _without_tags(line: str) -> str:
    from wenmai.formats.pages import parsed

    return parsed(line).get_text() if "<" in line and not line.lstrip().startswith("<!--") else line
