"""PPTX through python-pptx: text, tables, notes. Macros are never looked at."""

import io
from collections.abc import Iterable, Iterator
from typing import Any

from tools.documents.records import Location
from wenmai.documents.parsing.draft import Draft
from wenmai.formats.blocks import table_rows

MAX_DEPTH = 20  # groups in groups


def read_pptx(filename: str, data: bytes, draft: Draft) -> None:
    """Read every slide: title, shapes in their order, tables, notes."""
    from pptx import Presentation

    for number, slide in enumerate(Presentation(io.BytesIO(data)).slides, 1):
        draft.begin(Location(slide=number))
        for line in slide_lines(slide.shapes):
            draft.line(line)
        notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
        if notes is not None and notes.text.strip():
            draft.line(f"备注：{notes.text}")


def slide_lines(shapes: Iterable[Any], depth: int = 0) -> Iterator[str]:
    for shape in shapes:
        if shape.has_text_frame and shape.text_frame.text.strip():
            yield shape.text_frame.text
        if getattr(shape, "has_table", False):
            yield from table_rows([[cell.text for cell in row.cells] for row in shape.table.rows])
        if hasattr(shape, "shapes") and depth < MAX_DEPTH:
            yield from slide_lines(shape.shapes, depth + 1)
