"""References of a DOCX to links and notes that it does not hold: they go, the text stays."""

import io
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any

from wenmai.formats.contents import parsed_xml

WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
LINKED = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
DOCUMENT, LINKS = "word/document.xml", "word/_rels/document.xml.rels"
NOTES = ("footnote", "endnote")


def without_dangling(data: bytes) -> bytes:
    """Return a DOCX whose document refers to nothing that is missing. Raises Unreadable, and KeyError without one."""
    from lxml import etree  # type: ignore[import-untyped]  # the package has no stubs

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    root = parsed_xml(parts[DOCUMENT])
    links = {one.get("Id") for one in parsed_xml(parts[LINKS])} if LINKS in parts else set()
    for link in root.iter(f"{WORD}hyperlink"):
        if link.get(LINKED) not in links:
            link.attrib.pop(LINKED, None)
    for reference in list(_lost_notes(root, parts)):
        reference.getparent().remove(reference)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as changed:
        for name, part in (parts | {DOCUMENT: etree.tostring(root)}).items():
            changed.writestr(name, part)
    return packed.getvalue()


def _lost_notes(root: Any, parts: Mapping[str, bytes]) -> Iterator[Any]:
    """Give the references to notes that no part holds."""
    for kind in NOTES:
        part = parts.get(f"word/{kind}s.xml")
        held = {one.get(f"{WORD}id") for one in parsed_xml(part)} if part else set()
        yield from (one for one in root.iter(f"{WORD}{kind}Reference") if one.get(f"{WORD}id") not in held)
