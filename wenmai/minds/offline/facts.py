"""What the story graph knows of the people of a session: titles for 那位都督 and 那位州牧."""

import asyncio
import re

from nodes.roles import ResolveRequest
from tools.story.linking import EntityLinker

MOST_PEOPLE = 10
_POINTED = re.compile(r"[这那该][位个名]|的[这那]")


async def known_of(request: ResolveRequest, linker: EntityLinker) -> dict[str, str]:
    """Return what descriptions and relations say of the session's people, {} where the question points to nobody."""
    if not request.library or not _POINTED.search(request.question):
        return {}
    session = request.session
    names = [entity["name"] for entity in session["entities"]]
    names += [name for turn in reversed(session["turns"]) for name in turn["entities"]]
    chosen = list(dict.fromkeys(names))[:MOST_PEOPLE]
    texts = await asyncio.gather(*(_text(request, linker, name) for name in chosen))
    return dict(zip(chosen, texts, strict=True))


async def _text(request: ResolveRequest, linker: EntityLinker, name: str) -> str:
    entity = await linker.graph.entity(request.library, name, request.horizon)
    relations = await linker.graph.relations(request.library, name, request.horizon)
    own = [part for part in re.split(r"[，；。]", entity.description if entity else "") if not part.startswith("父")]
    return "。".join([*own, *(edge.evidence for edge in relations)])


def entitled(text: str, spellings: list[str], head: str) -> bool:
    """Tell whether a text gives somebody this title: 职位: 荆州牧, 孙权拜周瑜为大都督, 司徒王允."""
    if len(head) < 2 or head not in text:
        return False
    title = re.escape(head)
    if re.search(rf"(?:^|。)[^。：:]{{0,6}}[：:][^。]*{title}", text):
        return True
    return called(text, spellings, head)


def called(text: str, spellings: list[str], head: str) -> bool:
    """Tell whether a text calls somebody so beside his name: 司徒王允, 孙权拜周瑜为大都督."""
    title = re.escape(head)
    names = "|".join(re.escape(spelling) for spelling in spellings)
    return (
        re.search(rf"{title}(?:{names})|(?:{names})[^，。]{{0,3}}(?:为|是|领|任)[^，。]{{0,6}}{title}", text)
        is not None
    )
