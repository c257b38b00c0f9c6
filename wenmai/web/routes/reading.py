"""What a reader does with a library: finds words, sees who is named, comes back to the same place."""

from typing import Annotated

from fastapi import Query

from wenmai.application import reading as models
from wenmai.application.paging import USUAL, Page
from wenmai.web.dependencies import Limit, Offset, Operations, Reading, resource
from wenmai.web.routes.passages import CopyNumber, Part, Source
from wenmai.web.routes.passages import Number as ChapterNumber

router = resource("reading")
Nearby = Annotated[models.Nearby, Query(description="Passages at most")]


@router.get("/libraries/{library}/find", summary="Find words in the text")
async def find(
    app: Operations,
    guard: Reading,
    library: str,
    q: Annotated[str, Query(min_length=1, max_length=models.LONGEST_WORDING, description="The words")],
    limit: Limit = USUAL,
    offset: Offset = 0,
) -> Page[models.FoundText]:
    """List where these very words stand, in reading order; script, case, width, signs and blanks do not count."""
    return await app.reading.find(library, q, guard=guard, limit=limit, offset=offset)


@router.get("/libraries/{library}/nearest", summary="Find the nearest passages")
async def nearest(
    app: Operations,
    guard: Reading,
    library: str,
    q: Annotated[str, Query(min_length=1, description="A question, or words as they are remembered")],
    limit: Nearby = models.NEAREST,
) -> models.NearestPassages:
    """Return the passages nearest to a question or a half-remembered sentence; they need not answer it."""
    return await app.reading.nearest(library, q, guard=guard, limit=limit)


@router.get("/libraries/{library}/chapters/names", summary="List the names in a chapter")
async def names(
    app: Operations,
    guard: Reading,
    library: str,
    source: Source,
    part: Part = 1,
    chapter: ChapterNumber = None,
    copy_number: CopyNumber = 0,
) -> models.NameMarks:
    """Return who is named where in a chapter, by the names that a reader knows."""
    return await app.reading.names(library, source, part=part, chapter=chapter, copy_number=copy_number, guard=guard)


@router.get("/libraries/{library}/place", summary="Get where you were last")
async def place(app: Operations, guard: Reading, library: str) -> models.KeptPlace | None:
    """Return where the user of the key was last in a library; null where nothing is known, or a guard hides it."""
    return await app.reading.place(library, guard=guard)


@router.put("/libraries/{library}/place", summary="Keep where you are")
async def set_place(app: Operations, library: str, place: models.ReadingPlace) -> models.KeptPlace:
    """Keep where the user of the key is in a library; each user has a place of their own."""
    return await app.reading.set_place(library, place)
