"""DOCX through mammoth: tracked changes as accepted, notes, text boxes, content controls, tables. No macro is read."""

import io
import re
import zipfile
from collections.abc import Mapping
from typing import Any
from xml.parsers.expat import ExpatError

from tools.messages import Message
from wenmai.formats.blocks import Block, Unreadable, require_format
from wenmai.formats.epub import parsed_xml
from wenmai.formats.pages import page_blocks, parsed

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
    for kind in NOTES:
        part = parts.get(f"word/{kind}s.xml")
        held = {one.get(f"{WORD}id") for one in parsed_xml(part)} if part else set()
        for reference in list(root.iter(f"{WORD}{kind}Reference")):
            if reference.get(f"{WORD}id") not in held:
                reference.getparent().remove(reference)
    return _packed(parts | {DOCUMENT: etree.tostring(root)})


def _packed(parts: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return packed.getvalue()


MARKUP = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
VML = "{urn:schemas-microsoft-com:vml}"
CONTENT = f"{WORD}txbxContent"
NAMED = b"txbxContent"
PART = re.compile(r"word/[^/]+\.xml")


def with_old_text_boxes(data: bytes) -> bytes:
    """Return a DOCX in which every text box is one of VML; the same bytes where none has to be changed.

    Raises Unreadable, and BadZipFile where it is no archive.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        texts = {name: archive.read(name) for name in archive.namelist() if PART.fullmatch(name)}
        boxed = {name: new for name, part in texts.items() if NAMED in part and (new := rewritten(part))}
        if not boxed:
            return data
        return _packed({name: boxed.get(name) or archive.read(name) for name in archive.namelist()})


def rewritten(part: bytes) -> bytes | None:
    """Return a part with its boxes as VML, None where it needs no change. Raises Unreadable."""
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]  # the package has no stubs

    root = parsed_xml(part)
    hosts: dict[Any, list[Any]] = {}
    for content in root.iter(CONTENT):
        if (host := unread_host(content)) is not None:
            hosts.setdefault(host, []).append(content)
    for host, contents in hosts.items():
        picture = etree.Element(f"{WORD}pict")
        box = etree.SubElement(etree.SubElement(picture, f"{VML}shape"), f"{VML}textbox")
        box.extend(contents)
        host.getparent().replace(host, picture)
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)) if hosts else None


def unread_host(content: Any) -> Any:
    """Return the element that shows a box to new programs alone, None where older ones read the box as well."""
    above = list(
        content.iterancestors(f"{MARKUP}AlternateContent", f"{MARKUP}Fallback", f"{VML}textbox", f"{WORD}drawing")
    )
    alternatives = [one for one in above if one.tag == f"{MARKUP}AlternateContent"]
    is_read = any(one.tag in (f"{MARKUP}Fallback", f"{VML}textbox") for one in above)
    if is_read or any(one.find(f"{MARKUP}Fallback//{CONTENT}") is not None for one in alternatives):
        return None
    return next(iter(alternatives or above), None)


CONTENTS = ("toc ", "TOC", "目录")
"""Names with which the styles of a table of contents begin: its lines are no text."""
STYLES = "\n".join(
    (
        *(f"p[style-name^='{name}'] => !" for name in CONTENTS),
        "p[style-name='Title'] => h1.title:fresh",
        "p[style-name='标题'] => h1.title:fresh",
        *(f"p[style-name='标题 {level}'] => h{level}:fresh" for level in range(1, 7)),
        *(f"p[style-name='Heading {level}'] => h{level}:fresh" for level in range(1, 7)),
    )
)


def docx_blocks(data: bytes) -> list[Block]:
    """Return the blocks of a document. Raises Unreadable."""
    try:
        data = with_old_text_boxes(data)
        try:
            page = _page(data)
        except KeyError:
            page = _page(without_dangling(data))
    except (KeyError, ValueError, AttributeError, OSError, zipfile.BadZipFile, ExpatError, RecursionError) as error:
        reason = Message("file.nested_too_deep") if isinstance(error, RecursionError) else str(error)
        raise Unreadable(Message("ingest.not_docx", reason=reason), Message("ingest.save_as_txt")) from error
    return page_blocks(parsed(page))


def _page(data: bytes) -> str:
    """Return a document as HTML without pictures. Raises KeyError where it refers to what it does not hold."""
    require_format("office", "DOCX")
    import mammoth  # type: ignore[import-untyped]  # the package has no stubs

    options = {"style_map": STYLES, "convert_image": lambda image: [], "include_embedded_style_map": False}
    return str(mammoth.convert_to_html(io.BytesIO(data), **options).value)
