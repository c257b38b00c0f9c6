"""The table of contents of an EPUB: a navigation document or an NCX."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tools.wording import Words
from wenmai.formats.blocks import REMEDY, Unreadable

BAD_XML = Words("文件里的 XML 有错", "its XML is wrong")
TYPE = "{http://www.idpf.org/2007/ops}type"


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table of contents: its address, the rows above it (the outermost first), whether some are below it."""

    title: str
    href: str
    above: tuple[str, ...]
    has_more: bool


@dataclass(frozen=True, slots=True)
class Entry:
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
        raise Unreadable(BAD_XML, REMEDY)
    return found


def children(tag: Any, name: str) -> Iterator[Any]:
    """Yield all tags below a tag that have a name in any namespace."""
    yield from tag.iterfind(f".//{{*}}{name}")


def text_of(tag: Any) -> str:
    """Return the text of a tag on one line."""
    return " ".join("".join(tag.itertext()).split())


def nav_rows(page: Any) -> Iterator[Row]:
    """Yield the rows of a navigation document in their order."""
    navs = list(children(page, "nav"))
    toc = [nav for nav in navs if "toc" in (nav.get(TYPE) or "").split()]
    for nav in (toc or navs)[:1]:
        for top in list(children(nav, "ol"))[:1]:
            yield from _walk(_items(top), _nav_row)


def ncx_rows(page: Any) -> Iterator[Row]:
    """Yield the rows of an NCX in their order."""
    for top in list(children(page, "navMap"))[:1]:
        yield from _walk(_named(top, "navPoint"), _ncx_row)


def _walk(tops: Sequence[Any], read: Callable[[Any], tuple[str, str, list[Any]]]) -> Iterator[Row]:
    """Yield rows with those below them, without recursion: a file may be as deep as it likes."""
    waiting: list[tuple[Any, tuple[str, ...]]] = [(tag, ()) for tag in reversed(tops)]
    while waiting:
        tag, above = waiting.pop()
        title, href, inner = read(tag)
        yield Row(title, href, above, bool(inner))
        waiting += [(child, (*above, title) if title else above) for child in reversed(inner)]


def _nav_row(tag: Any) -> tuple[str, str, list[Any]]:
    label = next(iter(_named(tag, "a") or _named(tag, "span")), None)
    inner = [item for inside in _named(tag, "ol") for item in _items(inside)]
    return (text_of(label), label.get("href", ""), inner) if label is not None else ("", "", inner)


def _ncx_row(tag: Any) -> tuple[str, str, list[Any]]:
    title = "".join(text_of(label) for label in _named(tag, "navLabel")[:1])
    href = "".join(content.get("src", "") for content in _named(tag, "content")[:1])
    return title, href, _named(tag, "navPoint")


def _items(tag: Any) -> list[Any]:
    return _named(tag, "li")


def _named(tag: Any, name: str) -> list[Any]:
    """Return the children of a tag that have a name, in any namespace."""
    return [child for child in tag if isinstance(child.tag, str) and child.tag.rpartition("}")[2] == name]
