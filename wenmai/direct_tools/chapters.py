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
from wenmai.direct_tools.calls import ChapterAddress

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
    services: "Services"

    async def libraries(self, caller: Caller) -> dict[str, str]:
        known = await self.services.catalog.libraries()
        return {address(info.name): info.title for info in known if allows(caller.libraries, info.name)}

    async def read(self, uri: str, caller: Caller) -> str | list[ChapterAddress]:
        """Return the text of a chapter, or a table of contents. Raises InputError for an unknown address."""
        library, numbers, guard = parse_address(uri)
        if not allows(caller.libraries, library):
            raise InputError(NO_ADDRESS.of(uri=uri))
        catalog = self.services.catalog
        async with self.services.libraries.reading(library):
            horizon = await read_horizon(catalog, library, *guard)
            stored = await catalog.chapters(library)
        chapters = [one for one in stored if horizon is None or horizon.shows(one.part, one.number)]
        if not numbers:
            return [
                ChapterAddress(uri=address_of(one), part=one.part, chapter=one.number, title=one.title)
                for one in chapters
            ]
        texts = [one.text for one in chapters if (one.part, one.number) == numbers]
        if not texts:
            raise InputError(NO_ADDRESS.of(uri=uri))
        return "\n\n".join(texts)


def address_of(chapter: "Chapter") -> str:
    """Return a chapter's address; of one without a number that of its table."""
    return address(chapter.library, *(() if chapter.number is None else (chapter.part, chapter.number)))


def address(library: str, *numbers: int) -> str:
    return f"{SCHEME}://{'/'.join([quote(library, safe=''), *map(str, numbers)])}"


def parse_address(uri: str) -> tuple[str, tuple[int, int] | None, tuple[int | None, int | None]]:
    """Return library, part and chapter of an address, and chapter and part of its guard. Raises InputError."""
    parts = urlsplit(uri)
    numbers = [one for one in parts.path.split("/") if one]
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    library, guard = unquote(parts.netloc), dict(pairs)
    is_address = parts.scheme == SCHEME and library and len(numbers) in (0, 2)
    is_guard = len(guard) == len(pairs) and {*guard} <= {CHAPTER, PART} and [*guard] != [PART]
    if not (is_address and is_guard and all(map(str.isdecimal, (*numbers, *guard.values())))):
        raise InputError(NO_ADDRESS.of(uri=uri))
    chapter, part = guard.get(CHAPTER), guard.get(PART)
    until = None if chapter is None else int(chapter), None if part is None else max(1, int(part))
    return library, (int(numbers[0]), int(numbers[1])) if numbers else None, until
