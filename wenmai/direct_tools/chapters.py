"""The chapters of libraries, read by their addresses: `wenmai://LIBRARY/PART/CHAPTER`, for a table `wenmai://LIBRARY`.

A query `?as_of_chapter=N`, with `&as_of_part=P`, is the spoiler guard: behind it there are no chapters.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from tools.errors import InputError
from tools.story.guard import read_horizon
from tools.wording import Words
from wenmai.application.caller import Caller, allows
from wenmai.application.models.tools import Place

if TYPE_CHECKING:
    from tools.records import Chapter
    from wenmai.app.container import Services

SCHEME = "wenmai"
TEMPLATE = f"{SCHEME}://{{library}}/{{part}}/{{chapter}}"
CHAPTER, PART = "as_of_chapter", "as_of_part"
NO_ADDRESS = Words(
    "没有这个地址：{uri}；章节写成 wenmai://资料库/部/章，目录写成 wenmai://资料库，"
    "防剧透时在后面加上 ?as_of_chapter=章",
    "there is no address {uri}: a chapter is wenmai://library/part/chapter, a table of contents wenmai://library, "
    "with ?as_of_chapter=chapter behind it for the spoiler guard",
)


@dataclass(frozen=True, slots=True)
class Chapters:
    """Reads what was stored."""

    services: "Services"

    async def libraries(self, caller: Caller) -> dict[str, str]:
        """Return the titles of the libraries by the addresses of their tables of contents."""
        known = await self.services.catalog.libraries()
        return {address(info.name): info.title for info in known if allows(caller.libraries, info.name)}

    async def read(self, uri: str, caller: Caller) -> str | list[Place]:
        """Return the text of a chapter, or a table of contents. Raises InputError for an unknown address."""
        library, numbers = parsed(uri)
        if not allows(caller.libraries, library):
            raise InputError(NO_ADDRESS.of(uri=uri))
        guard, catalog = guard_in(uri), self.services.catalog
        async with self.services.libraries.reading(library):
            horizon = await read_horizon(catalog, library, *guard)
            stored = await catalog.chapters(library)
        chapters = [one for one in stored if horizon is None or horizon.shows(one.part, one.number)]
        if not numbers:
            return [place_of(one) for one in chapters]
        texts = [one.text for one in chapters if (one.part, one.number) == numbers]
        if not texts:
            raise InputError(NO_ADDRESS.of(uri=uri))
        return "\n\n".join(texts)


def place_of(chapter: "Chapter") -> Place:
    """Return a chapter's line; one without a number has the address of its table alone."""
    numbers = () if chapter.number is None else (chapter.part, chapter.number)
    uri = address(chapter.library, *numbers)
    return Place(uri=uri, part=chapter.part, chapter=chapter.number, title=chapter.title)


def address(library: str, *numbers: int) -> str:
    """Return the address of a chapter or of a table of contents."""
    return f"{SCHEME}://{'/'.join([quote(library, safe=''), *map(str, numbers)])}"


def guard_in(uri: str) -> tuple[int | None, int | None]:
    """Return the chapter and the part that the query of an address names. Raises InputError for any other query."""
    pairs = parse_qsl(urlsplit(uri).query, keep_blank_values=True)
    given = dict(pairs)
    if (
        len(given) < len(pairs)
        or not set(given) <= {CHAPTER, PART}
        or not all(map(str.isdecimal, given.values()))
        or [*given] == [PART]
    ):
        raise InputError(NO_ADDRESS.of(uri=uri))
    chapter, part = given.get(CHAPTER), given.get(PART)
    return None if chapter is None else int(chapter), None if part is None else max(1, int(part))


def parsed(uri: str) -> tuple[str, tuple[int, int] | None]:
    """Return library, part and chapter of an address. Raises InputError."""
    parts = urlsplit(uri)
    numbers = [one for one in parts.path.split("/") if one]
    library = unquote(parts.netloc)
    if parts.scheme != SCHEME or not library or len(numbers) not in (0, 2) or not all(map(str.isdecimal, numbers)):
        raise InputError(NO_ADDRESS.of(uri=uri))
    return library, (int(numbers[0]), int(numbers[1])) if numbers else None
