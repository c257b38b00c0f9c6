"""DOCX through mammoth: tracked changes as accepted, notes, text boxes, content controls, tables. No macro is read."""

import io
import zipfile
from typing import Any
from xml.parsers.expat import ExpatError

from tools.wording import Text, Words
from wenmai.formats.blocks import REMEDY, Block, Unreadable
from wenmai.formats.dangling import without_dangling
from wenmai.formats.pages import page_blocks, parsed
from wenmai.formats.text_boxes import with_old_text_boxes

NESTED = Words("嵌套太深", "nested too deep")
NO_DOCX = Words("不是可读的 DOCX（{reason}）", "it is no DOCX that can be read ({reason})")
STYLES = "\n".join(
    (
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
        raise Unreadable(NO_DOCX.of(reason=_reason(error)), REMEDY) from error
    return page_blocks(parsed(page))


def _page(data: bytes) -> str:
    """Return a document as HTML. Raises KeyError where it refers to what it does not hold."""
    import mammoth  # type: ignore[import-untyped]  # the package has no stubs

    options = {"style_map": STYLES, "convert_image": _no_image, "include_embedded_style_map": False}
    return str(mammoth.convert_to_html(io.BytesIO(data), **options).value)


def _reason(error: Exception) -> Text:
    return NESTED if isinstance(error, RecursionError) else str(error)


def _no_image(image: Any) -> list[Any]:
    """Return nothing for a picture."""
    return []
