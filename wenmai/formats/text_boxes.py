"""Text boxes of a DOCX that are written for new programs alone, made such as older programs read."""

import io
import re
import zipfile
from typing import Any

from wenmai.formats.contents import parsed_xml

WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
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
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as changed:
            for name in archive.namelist():
                changed.writestr(name, boxed.get(name) or archive.read(name))
    return packed.getvalue()


def rewritten(part: bytes) -> bytes | None:
    """Return a part with its boxes as VML, None where it needs no change. Raises Unreadable."""
    from lxml import etree  # type: ignore[import-untyped]  # the package has no stubs

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
