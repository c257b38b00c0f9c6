"""What the library tells of a session's people: 司徒王允 for 那位司徒, who cuts his hair for 割发的那位."""

import asyncio
import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from nodes.roles import ResolveRequest
from nodes.sentences import pattern_of
from tools.errors import STORE_FAILURES
from tools.ports import PassageStore
from tools.records import PassageFilter
from tools.story.linking import NameTable
from wenmai.minds.offline.anaphor import Anaphor
from wenmai.minds.offline.anaphora import find_anaphors
from wenmai.minds.offline.bare_names import namesake
from wenmai.minds.offline.facts import called
from wenmai.minds.offline.quotes import PASSIVE, same_deed
from wenmai.minds.offline.reading import read

log = logging.getLogger(__name__)

MOST_PEOPLE = 16
ABOUT_ONE, ABOUT_DEED = 3, 8  # passages that are read
LEAST_SAID = 3
ENOUGH = 0.6
"""How many characters of a description a sentence must say, and which share of them: of 献计 half a story tells."""
NOT_DOER = 0.5
_EMPTY = frozenset("的了着过是在有个位名员那这人者后来最被把不一他她它和与为给向对就又也都还很上下中里去来当做")
_PLAIN = frozenset(["人", "将军", "将领", "女子", "男子", "女人", "男人", "老人", "孩子", "家伙", "夫人", "主人"])
"""Heads that are no office: many a man is called so."""


@dataclass(frozen=True, slots=True)
class Lore:
    """Who of a session's people is called by a description's noun, and how surely each did what it says."""

    titled: frozenset[str] = frozenset()
    did: Mapping[str, float] = field(default_factory=dict)


NO_LORE = Lore()


async def lore_of(request: ResolveRequest, table: NameTable, passages: PassageStore | None) -> Lore:
    """Return what the library's passages say of a description in the question."""
    turns = request.session["turns"]
    if passages is None or not turns:
        return NO_LORE
    described = await asyncio.to_thread(_described, request.question, table)
    people = people_of(request, table) if described else []
    if described is None or not people:
        return NO_LORE
    try:
        titled, did = await asyncio.gather(
            _titles(request, table, passages, described.head, [name for name in people if table.kind(name)]),
            _deeds(request, table, passages, described, people),
        )
    except STORE_FAILURES as error:  # the session's own words are left; the search that follows tells of the store
        log.warning("described without the passages: %s", error)
        return NO_LORE
    return Lore(frozenset(titled), did)


def _described(question: str, table: NameTable) -> Anaphor | None:
    return next((one for one in find_anaphors(read(question, table)) if _describes(one)), None)


def _describes(one: Anaphor) -> bool:
    office = len(one.head) > 1 and one.head not in _PLAIN
    return one.form in ("demonstrative", "description") and one.wanted == "person" and (office or bool(one.modifier))


def people_of(request: ResolveRequest, table: NameTable, without: Collection[str] = ()) -> list[str]:
    """Return the persons that a session has named, newest turn first; one whose name several bear by that name."""
    names = list[str]()
    for turn in reversed(request.session["turns"]):
        found = table.find(f"{turn['resolved']}\n{turn['answer']}")
        named = [name for mention in found if (name := mention.entity or namesake(mention))]
        names += [*turn["entities"], *turn.get("focus", []), *named]
    names += [entity["name"] for entity in request.session["entities"]]
    people = [name for name in dict.fromkeys(names) if is_listed(name, table) and name not in without]
    return people[:MOST_PEOPLE]


def is_listed(name: str, table: NameTable) -> bool:
    """Tell whether a name is a listed person's, or one that several of them bear."""
    if table.kind(name) is not None:
        return table.kind(name) == "Character"
    return any(namesake(mention) == name for mention in table.find(name))


async def _titles(
    request: ResolveRequest, table: NameTable, passages: PassageStore, head: str, people: Sequence[str]
) -> list[str]:
    """Return who is called by the noun somewhere: 司徒王允."""
    if len(head) < 2 or head in _PLAIN:
        return []
    found = await asyncio.gather(*(_texts(request, passages, head, (name,), ABOUT_ONE) for name in people))
    return [
        name
        for name, texts in zip(people, found, strict=True)
        if any(called(text, spellings_of(name, table), head) for text in texts)
    ]


async def _deeds(
    request: ResolveRequest, table: NameTable, passages: PassageStore, one: Anaphor, people: Sequence[str]
) -> Mapping[str, float]:
    """Score who does what the description says."""
    content = [char for char in dict.fromkeys(one.modifier) if char not in _EMPTY]
    if len(content) < LEAST_SAID:
        return {}
    texts = await _texts(request, passages, one.modifier + one.head, people, ABOUT_DEED)
    best: dict[str, float] = {}
    for text in texts:
        for sentence in pattern_of(text).finditer(text):
            for name, score in told(sentence.group(), content, table, passive=one.modifier[0] in PASSIVE).items():
                best[name] = max(best.get(name, 0.0), score)
    return best


async def _texts(
    request: ResolveRequest, passages: PassageStore, query: str, people: Sequence[str], limit: int
) -> list[str]:
    where = PassageFilter(any_entity=tuple(people), horizon=request.horizon)
    rows = await passages.sparse(request.library, query, where, limit)
    ids = [row.id for row in rows]
    found = await passages.fetch(request.library, ids, None, request.horizon) if ids else []
    return [one.passage.text for one in found]


def told(sentence: str, content: Sequence[str], table: NameTable, *, passive: bool) -> dict[str, float]:
    """Score the people of a sentence that says enough of a description: whole for who does it, less for the others."""
    shared = [char for char in content if {char, *same_deed(char)} & set(sentence)]
    share = len(shared) / len(content)
    if len(shared) < LEAST_SAID or share < ENOUGH:
        return {}
    people = [
        mention for mention in table.find(sentence) if mention.entity and mention.candidates[0].kind == "Character"
    ]
    forms = "".join(char + same_deed(char) for char in shared)
    at = next(place for place, char in enumerate(sentence) if char in forms)
    before = [one.entity for one in people if one.end <= at]
    behind = [one.entity for one in people if one.start >= at]
    first, second = (behind, before[::-1]) if passive else (before[::-1], behind)
    doer = next(iter([*first, *second]), None)
    return {one.entity: share if one.entity == doer else share * NOT_DOER for one in people if one.entity}


def spellings_of(name: str, table: NameTable) -> list[str]:
    """Return the spellings of a name without notes that tell namesakes apart."""
    return [text.split("[")[0] for text in [name, *table.aliases(name)]]
