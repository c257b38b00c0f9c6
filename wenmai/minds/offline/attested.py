"""Whom a follow-up fits by what the library tells: 他把箭拔出来 is asked of one who pulls an arrow out somewhere."""

import asyncio
import logging
from collections.abc import Collection, Sequence

from nodes.roles import ResolveRequest
from tools.errors import STORE_FAILURES
from tools.ports import PassageStore
from tools.records import PassageFilter
from tools.story.linking import NameTable
from wenmai.minds.offline.analysis import analyse
from wenmai.minds.offline.anaphor import Anaphor
from wenmai.minds.offline.anaphora import find_anaphors
from wenmai.minds.offline.asked_part import asked_part
from wenmai.minds.offline.binding import bound
from wenmai.minds.offline.discourse import Discourse
from wenmai.minds.offline.disjoint import is_object
from wenmai.minds.offline.lore import people_of
from wenmai.minds.offline.open_places import UNASKED, Attested, OpenPlace
from wenmai.minds.offline.quotes import telling_characters
from wenmai.minds.offline.reading import read
from wenmai.minds.offline.scenes import Told, scenes_of
from wenmai.minds.offline.signs import Places, peaks_of, signs_of
from wenmai.minds.offline.subjects import missing

log = logging.getLogger(__name__)

READ = 8  # passages
LEAST_TOLD = 2  # telling characters: 他怎么死的 fits everybody
BLANK = "谁"
"""What a pronoun becomes: then it is a question for somebody, and who answers it is whom the pronoun means."""


async def attested(request: ResolveRequest, discourse: Discourse, passages: PassageStore | None) -> Attested:
    """Read passages about the session's people for the person whom the question leaves open."""
    table = discourse.table
    if passages is None or not discourse.turns:
        return UNASKED
    left = await asyncio.to_thread(open_place, request.question, table)
    people = people_of(request, table, without=left.named) if left else []
    if left is None or len(people) < 2:
        return UNASKED
    if not left.telling:
        return Attested(left)
    try:
        told = await passages_for(request, people, table, passages)
    except STORE_FAILURES as error:  # the session's own words are left; the search that follows tells of the store
        log.warning("resolved without the passages: %s", error)
        return UNASKED
    if not told:
        return UNASKED
    places = await asyncio.to_thread(places_of, left, told, people, table)
    return Attested(left, peaks_of(places))


async def passages_for(
    request: ResolveRequest, people: Sequence[str], table: NameTable, passages: PassageStore
) -> list[Told]:
    """Return the passages about some people that say most of a follow-up and of the question before it.

    No passage is known to be about one whose name several bear; he stands beside the others. Raises StoreError.
    """
    listed = tuple(name for name in people if table.kind(name))
    where = PassageFilter(any_entity=listed, horizon=request.horizon)
    query = f"{request.session['turns'][-1]['resolved']}{request.question}"
    rows = await passages.sparse(request.library, query, where, READ) if listed else []
    found = await passages.fetch(request.library, [row.id for row in rows], None, request.horizon) if rows else []
    return [(one.passage.text, one.passage.entities) for one in found]


def open_place(question: str, table: NameTable) -> OpenPlace | None:
    """Return where a question leaves a person open, None for nowhere."""
    reading = read(question, table)
    anaphors = find_anaphors(reading)
    one = next((one for one in anaphors if _means_person(one) and not bound(one, reading)), None)
    if one:
        noun = one.head if one.form in ("demonstrative", "description") and one.head != "人" else ""
        start, end, text, kind = one.start, one.end, f"哪位{noun}" if noun else BLANK, None
    elif (gap := missing(reading, anaphors)) is not None and gap.gap not in ("outcome", "matter"):
        start, end, text, kind = gap.at, gap.at, BLANK + ("的" if gap.gap == "possessor" else ""), gap.gap
    else:
        return None
    blanked = read(question[:start] + text + question[end:], table)
    return OpenPlace(
        at=start,
        end=end,
        form=one.form if one else None,
        gap=kind,
        question=reading,
        blanked=blanked,
        named={one.name for one in reading.named},
        female=one.female if one else None,
        telling=len(telling_characters(blanked)) >= LEAST_TOLD,
        object=one is not None and is_object(one, reading),
    )


def _means_person(one: Anaphor) -> bool:
    return (
        one.wanted == "person" if one.form == "demonstrative" else one.form in ("pronoun", "possessive", "description")
    )


def places_of(left: OpenPlace, told: Sequence[Told], people: Collection[str], table: NameTable) -> Places:
    """Return the places where passages name one of those who may be meant."""
    asked = asked_part(left.blanked, left.at)  # it may ask for another, too: 谁射中了他
    if asked is None:
        return []
    scenes = scenes_of(told, asked, analyse(left.blanked.text, table), table)
    return signs_of(scenes, asked, table, frozenset(people))
