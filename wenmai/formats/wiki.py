"""Dumps of MediaWiki (Wikipedia, Fandom): pages with their infoboxes as properties, redirects as other names."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from tools.messages import Message
from wenmai.formats.blocks import Block, Entry, Unreadable, require_format

ROOT = "mediawiki"
ARTICLES = "0"  # the namespace of pages that are no talk, user or template
_DROPPED = ("file", "image", "category", "文件", "图像", "分类")
_LISTS = "*#:;"
_MEASURES, _RANGES = ("convert", "cvt"), ("to", "-", "–", "and", "by", "x", "or")
_NUMBER = re.compile(r"[-−]?[\d.,/+]+")
_LEAST_FIELDS = 2  # of a template, if it is an infobox


def is_wiki(root: Any) -> bool:
    """Return True for the root of a dump."""
    return isinstance(root.tag, str) and root.tag.rpartition("}")[2] == ROOT


def wiki_entries(root: Any) -> list[Entry]:
    """Return the pages of a dump in their order. Raises Unreadable for one without pages."""
    pages = [page for page in root.iterfind(".//{*}page") if _text(page, "ns") in ("", ARTICLES)]
    others = defaultdict[str, list[str]](list)
    for page in pages:
        if target := _redirect(page):
            others[_key(target)].append(_text(page, "title"))
    found = [_entry(page, others) for page in pages if not _redirect(page)]
    if not found:
        raise Unreadable(Message("document.no_text"), Message("file.choose_one_with_text"))
    return found


def _key(title: str) -> str:
    return title[:1].upper() + title[1:].partition("#")[0].replace("_", " ").strip()


def _text(page: Any, name: str) -> str:
    found = page.findall(f".//{{*}}{name}")  # of a page with its history the last revision is the newest
    return (found[-1].text or "").strip() if found else ""


def _redirect(page: Any) -> str:
    tag = page.find("{*}redirect")
    return "" if tag is None else str(tag.get("title") or "")


def _entry(page: Any, others: dict[str, list[str]]) -> Entry:
    require_format("formats", "MediaWiki")
    from mwparserfromhell import parse

    title, code = _text(page, "title"), parse(_text(page, "text"))
    boxes = [one for one in code.filter_templates(recursive=False) if len(_fields(one)) >= _LEAST_FIELDS]
    is_box = [one for one in boxes if "\n" in str(one)]  # a template that is written over several lines
    properties = {name: value for box in is_box for name, value in _fields(box).items()}
    for box in is_box:
        code.remove(box)
    return Entry(title=title, aliases=tuple(others[_key(title)]), properties=properties, blocks=tuple(_blocks(code)))


def _fields(template: Any) -> dict[str, str]:
    named = [one for one in template.params if one.showkey]
    found = {str(one.name).strip(): " ".join(_plain(one.value).split()) for one in named}
    return {name.replace("_", " "): value for name, value in found.items() if value}


def _plain(code: Any) -> str:
    """Return the words of wikitext; what a short template shows ({{lang|fr|mot}}) is its last unnamed value."""
    for link in code.filter_wikilinks(recursive=False):
        if str(link.title).partition(":")[0].strip().lower() in _DROPPED and ":" in str(link.title):
            code.remove(link)
    for tag in code.filter_tags(recursive=False):
        if str(tag.tag).lower() in ("ref", "gallery"):
            code.remove(tag)
    for template in code.filter_templates(recursive=False):
        values = [_plain(one.value).strip() for one in template.params if not one.showkey]
        code.replace(template, _shown(str(template.name).strip().lower(), values))
    return str(code.strip_code(normalize=True, collapse=True, keep_template_params=False))


def _shown(name: str, values: Sequence[str]) -> str:
    """Return what a template shows: of a date its day, of a measure the number with its unit, else its last value."""
    if "date" in name and (day := _day([value for value in values if value.isdecimal()])):
        return day
    if name in _MEASURES:
        unit = next((at for at, value in enumerate(values) if not (_NUMBER.fullmatch(value) or value in _RANGES)), 0)
        return " ".join(values[: unit + 1])
    return values[-1] if values else ""


def _day(numbers: Sequence[str]) -> str:
    """Return a year, month and day as ISO writes them; '' where the numbers are none."""
    year, *rest = numbers[:3] or [""]
    is_date = len(year) in (3, 4) and all(0 < int(one) <= most for one, most in zip(rest, (12, 31), strict=False))
    return "-".join([year, *(one.zfill(2) for one in rest)]) if is_date else ""


def _blocks(code: Any) -> Iterator[Block]:
    for section in code.get_sections(flat=True, include_lead=True):
        for heading in section.filter_headings(recursive=False):
            yield Block(text=_plain(heading.title).strip(), level=min(6, int(heading.level)))
            section.remove(heading)
        yield from (Block(text=line) for line in _lines(_plain(section)))


def _lines(text: str) -> Sequence[str]:
    return [plain for line in text.split("\n") if (plain := line.strip().lstrip(_LISTS).strip())]
