"""Forms that send a text: what decides its headings, and errors that name the file as its sender knows it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from starlette.datastructures import FormData

from tools.text.patterns import Pattern
from tools.wording import Words
from wenmai.errors import IngestError, InputError
from wenmai.ingestion.chapters.choice import NONE, TOC, ChapterChoice
from wenmai.inputs import FieldError

ONE_CHOICE = Words("chapters 和 headings 请只给一个", "give chapters or headings, not both")
NOT_PATTERNS = ("", TOC, NONE)
SLOWER = 10  # times the seconds of other bodies
CHOICE_FORM = {
    "chapters": {"type": "string", "description": "What a heading is: a regular expression, toc or none"},
    "headings": {
        "type": "string",
        "description": "The heading lines in their order, in place of `chapters`: each as it is printed, with a tab "
        "and another title where one is wanted; `== ` begins the line of a volume",
    },
}


@contextmanager
def named_alone(folder: Path) -> Iterator[None]:
    """Leave the folder out of what an error says: the sender knows his file by its name."""
    try:
        yield
    except (IngestError, InputError) as error:
        if type(error) not in (IngestError, InputError):
            raise
        raise type(error)(str(error).replace(f"{folder}/", "")) from error


def choice_of(form: FormData) -> ChapterChoice:
    """Return what decides the headings. Raises FieldError where both ways are given, and for a bad pattern."""
    pattern, headings = form.get("chapters"), form.get("headings")
    rows = tuple(row for row in headings.splitlines() if row.strip()) if isinstance(headings, str) else ()
    if pattern and rows:
        raise FieldError("headings", ONE_CHOICE)
    if isinstance(pattern, str) and pattern not in NOT_PATTERNS:
        try:
            Pattern(pattern)
        except InputError as error:
            raise FieldError("chapters", error.args[0]) from error
    return ChapterChoice(pattern if isinstance(pattern, str) and pattern else None, rows)
