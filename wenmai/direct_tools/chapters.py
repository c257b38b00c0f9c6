"""The chapters of libraries, read by their addresses: `wenmai://LIBRARY/PART/CHAPTER`, for a table `wenmai://LIBRARY`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

from pydantic import BaseModel

from tools.errors import InputError

if TYPE_CHECKING:
    from tools.records import Chapter
    from wenmai.app.engines import Catalog

SCHEME = "wenmai"
TEMPLATE = f"{SCHEME}://{{library}}/{{part}}/{{chapter}}"
NO_ADDRESS = "没有这个地址：{uri}；章节写成 wenmai://资料库/部/章，目录写成 wenmai://资料库"


class Place(BaseModel):
    """A line of a table of contents."""

    uri: str
    part: int
    chapter: int | None
    title: str


@dataclass(frozen=True, slots=True)
class Chapters:
    """Reads what was stored. No spoiler guard holds here: who names a chapter wants to read it."""

    catalog: "Catalog"

    async def libraries(self) -> dict[str, str]:
        """Return the titles of the libraries by the addresses of their tables of contents."""
        return {address(info.name): info.title for info in await self.catalog.libraries()}

    async def read(self, uri: str) -> str | list[Place]:
        """Return the text of a chapter, or a table of contents. Raises InputError for an unknown address."""
        library, numbers = parsed(uri)
        chapters = await self.catalog.chapters(library)
        if not numbers:
            return [place_of(one) for one in chapters]
        texts = [one.text for one in chapters if (one.part, one.number) == numbers]
        if not texts:
            raise InputError(NO_ADDRESS.format(uri=uri))
        return "\n\n".join(texts)


def place_of(chapter: "Chapter") -> Place:
    """Return a chapter's line; one without a number has the address of its table alone."""
    numbers = () if chapter.number is None else (chapter.part, chapter.number)
    uri = address(chapter.library, *numbers)
    return Place(uri=uri, part=chapter.part, chapter=chapter.number, title=chapter.title)


def address(library: str, *numbers: int) -> str:
    """Return the address of a chapter or of a table of contents."""
    return f"{SCHEME}://{'/'.join([quote(library, safe=''), *map(str, numbers)])}"


def parsed(uri: str) -> tuple[str, tuple[int, int] | None]:
    """Return library, part and chapter of an address. Raises InputError."""
    parts = urlsplit(uri)
    numbers = [one for one in parts.path.split("/") if one]
    library = unquote(parts.netloc)
    if parts.scheme != SCHEME or not library or len(numbers) not in (0, 2) or not all(map(str.isdecimal, numbers)):
        raise InputError(NO_ADDRESS.format(uri=uri))
    return library, (int(numbers[0]), int(numbers[1])) if numbers else None
