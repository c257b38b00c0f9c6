"""Whom a follow-up fits by what the library tells: 他把箭拔出来 is asked of one who pulls an arrow out somewhere."""

import asyncio
import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from nodes.roles import ResolveRequest
from tools.errors import STORE_FAILURES
from tools.linking import NameTable
from tools.ports import PassageStore
from tools.records import PassageFilter
from wenmai.minds.offline.analysis import analyse
from wenmai.minds.offline.anaphor import Anaphor
from wenmai.minds.offline.anaphora import find_anaphors
from wenmai.minds.offline.asked_part import asked_part
from wenmai.minds.offline.binding import bound
from wenmai.minds.offline.disjoint import is_object
from wenmai.minds.offline.lore import people_of
from wenmai.minds.offline.quotes import telling_characters
from wenmai.minds.offline.reading import LONGEST_QUESTION, Reading, read
from wenmai.minds.offline.scenes import Told, scenes_of
from wenmai.minds.offline.signs import Places, Signs, signs_of, strongest
from wenmai.minds.offline.subjects import missing

log = logging.getLogger(__name__)

READ = 8  # passages
LEAST_TOLD = 2  # telling characters: 他怎么死的 fits everybody
BLANK = "谁"
"""What a pronoun becomes: then it is a question for somebody, and who answers it is whom the pronoun means."""
WEIGHTS = Signs(
    sentence=1.45,
    near=1.81,
    around=1.84,
    clause=1.21,
    scene=0.75,
    mentions=0.26,
    fame=-0.44,
    titled=2.37,
    at_once=1.37,
)
UNTOLD = -0.11
"""Of whom no passage tells. Fitted by `python -m benchmarks.signs` on the follow-ups that leave one person open: 1,218
of 560 talks over a long novel with right answers (904 right when held out) and 428 of 185 with the agent's own (240);
the signs without a weight told nothing more."""


Part = Literal["object", "left out", "other"]
"""What the open place is: the object of a verb, a subject that is left out, or anything else."""


@dataclass(frozen=True, slots=True)
class Attested:
    """How well somebody fits at a place of the question, by name; `at` is None where salience alone is to decide.

    Where the question tells nothing of anybody the library was not asked, and everybody fits alike.
    """

    at: int | None = None
    fits: Mapping[str, float] = field(default_factory=dict)
    part: Part = "other"

    def fit(self, name: str) -> float:
        """Return how well somebody fits."""
        return self.fits.get(name, UNTOLD)


UNASKED = Attested()


@dataclass(frozen=True, slots=True)
class OpenPlace:
    """Where a question leaves a person open.

    Attributes:
        question: as it was asked, `blanked` with 谁 there.
        named: whom it names.
        female: the word says that it is a woman.
        telling: it says something that tells people apart.
        part: what the place is.
    """

    at: int
    question: Reading
    blanked: Reading
    named: Collection[str]
    female: bool
    telling: bool
    part: Part


async def attested(request: ResolveRequest, table: NameTable, passages: PassageStore | None) -> Attested:
    """Read passages about the session's people for the person whom the question leaves open."""
    turns = request.session["turns"]
    if passages is None or not turns or len(request.question) > LONGEST_QUESTION:
        return UNASKED
    left = await asyncio.to_thread(open_place, request.question, table)
    people = people_of(request, table, without=left.named) if left else []
    if left is None or len(people) < 2:
        return UNASKED
    if not left.telling:
        return Attested(left.at, part=left.part)
    try:
        told = await passages_for(request, people, table, passages)
    except STORE_FAILURES as error:  # the session's own words are left; the search that follows tells of the store
        log.warning("resolved without the passages: %s", error)
        return UNASKED
    if not told:
        return UNASKED
    places = await asyncio.to_thread(places_of, left, told, people, table)
    return Attested(left.at, strongest(places, WEIGHTS), left.part)


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
        start, end, text = one.start, one.end, f"哪位{noun}" if noun else BLANK
    elif (gap := missing(reading, anaphors)) is not None and gap.gap not in ("outcome", "matter"):
        start, end, text = gap.at, gap.at, BLANK + ("的" if gap.gap == "possessor" else "")
    else:
        return None
    blanked = read(question[:start] + text + question[end:], table)
    return OpenPlace(
        at=start,
        question=reading,
        blanked=blanked,
        named={one.name for one in reading.named},
        female=one is not None and one.female is True,
        telling=len(telling_characters(blanked)) >= LEAST_TOLD,
        part="left out" if one is None else "object" if is_object(one, reading) else "other",
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
