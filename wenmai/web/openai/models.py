"""Models as clients see them: each library is one, `LIBRARY@CHAPTER` or `LIBRARY@PART.CHAPTER` one with a guard."""

import re
from typing import Any

from tools.records import LibraryInfo
from tools.wording import Words
from wenmai.inputs import FieldError

GUARDED = re.compile(r"(?P<library>[^@]+)@(?:(?P<part>\d{1,6})\.)?(?P<chapter>\d{1,6})")
OWNER = "wenmai"
TWICE = Words(
    "模型名里已经有防剧透的章节，不能再写别的值", "the model's name has another guard already: leave this one out"
)


def run_of(model: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return the context of a run on a model. Raises FieldError where name and fields have two guards."""
    named = GUARDED.fullmatch(model)
    if named is None:
        return {**given, "library": model}
    guard = {"as_of_chapter": int(named["chapter"])} | ({"as_of_part": int(named["part"])} if named["part"] else {})
    for name in ("as_of_chapter", "as_of_part"):
        if given.get(name) not in (None, guard.get(name)):
            raise FieldError(name, TWICE)
    return {**given, **guard, "library": named["library"]}


def model_row(info: LibraryInfo, id: str | None = None) -> dict[str, Any]:
    """Return a library as a model; `name` is what clients show."""
    return {"id": id or info.name, "object": "model", "created": 0, "owned_by": OWNER, "name": info.title}
