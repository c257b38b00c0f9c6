"""What a person mends of names besides merges: what a name is, that it is none, that an alias is another's.

All that a person has decided is listed here too, and each decision can be taken back by itself; later ingests keep it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from tools.errors import InputError
from tools.messages import Message, Names
from tools.records import EntityKind
from tools.story.names import Spellings
from wenmai.ingestion.contracts import CatalogWriter, Stores
from wenmai.ingestion.library.changes import (
    WriteOutcome,
    ready_decisions,
    require_entity,
    settle_decisions,
    split_entity,
)
from wenmai.ingestion.library.decisions import (
    Decisions,
    Extractions,
    RecordChanges,
    change_extractions,
    load_decisions,
    save_decisions,
)
from wenmai.ingestion.library.narrators import NarratorDecision, load_narrators, withdraw_narrator
from wenmai.ingestion.library.notes import imports

What = Literal["merge", "rename", "split", "separation", "kind", "removal", "narrator"]
Texts = Mapping[str, str]
"""Of passages, by id."""
KINDS: tuple[EntityKind, ...] = get_args(EntityKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A person's decision. `into` is the other name: of a merge, a better name, or whose alias a name was."""

    id: str
    what: What
    name: str | None
    into: str | None = None
    kind: str | None = None
    narrator: NarratorDecision | None = None


async def list_changes(catalog: CatalogWriter, library: str) -> list[Change]:
    """Return what a person has decided on names and narrators, the latest of each sort last."""
    decisions, narrators = await load_decisions(catalog, library), await load_narrators(catalog, library)
    return [*_name_changes(decisions), *map(_narrator_change, dict.fromkeys(narrators.decided))]


def _name_changes(decisions: Decisions) -> Iterator[Change]:
    for row in decisions.rows:
        if row.by == "person":
            what: What = "split" if row.into is None else "rename" if row.is_rename else "merge"
            yield Change(id=f"name:{row.name}", what=what, name=row.name, into=row.into)
    for name, entity in decisions.separate.items():
        yield Change(id=f"alias:{name}", what="separation", name=name, into=entity)
    for name, kind in decisions.kinds.items():
        yield Change(id=f"kind:{name}", what="removal" if kind is None else "kind", name=name, kind=kind)


def _narrator_change(row: NarratorDecision) -> Change:
    bounds = ":".join("" if one is None else str(one) for one in (row.part, row.first, row.last))
    return Change(id=f"narrator:{bounds}:{row.name or ''}", what="narrator", name=row.name, narrator=row)


async def undo_change(stores: Stores, library: str, id: str) -> tuple[Change, RecordChanges]:
    """Take one decision back; what the text shows, or another decision, counts again. Raises InputError."""
    known = await list_changes(stores.catalog, library)
    change = next((one for one in known if one.id == id), None)
    if change is None:
        ids = Names(one.id for one in known) or Message("sign.none")
        raise InputError(Message("entity.unknown_change", library=library, id=id[:80], known=ids))
    if change.narrator:
        return change, RecordChanges(passages=await withdraw_narrator(stores, library, change.narrator))
    if change.what in ("merge", "rename") and change.name:
        return change, (await split_entity(stores, library, change.name)).change
    old = await ready_decisions(stores, library)
    if change.what == "split":
        rows = [one for one in old.rows if (one.name, one.by) != (change.name, "person")]
        new = replace(old, rows=tuple(rows))
        return change, (await settle_decisions(stores, library, old, new))[0]
    if change.what == "separation" and change.name and change.into:
        await _rewrite(stores, library, old, lambda found, _: found.renamed(str(change.name), str(change.into)))
        left = {name: entity for name, entity in old.separate.items() if name != change.name}
        new = replace(old, separate=left)
        return change, (await settle_decisions(stores, library, old, new, everything=True))[0]
    kinds = {name: kind for name, kind in old.kinds.items() if name != change.name}
    return change, (await settle_decisions(stores, library, old, replace(old, kinds=kinds)))[0]


async def set_kind(stores: Stores, library: str, name: str, kind: str | None) -> tuple[Change, RecordChanges]:
    """Say what a name is, or None: that it is no name at all. Raises InputError."""
    if kind is not None and kind not in KINDS:
        raise InputError(Message("entity.unknown_kind", kind=kind[:40], known=Names(KINDS)))
    old = await ready_decisions(stores, library)
    await require_entity(stores, library, name, old)
    kinds = {**{one: kept for one, kept in old.kinds.items() if one != name}, name: kind}
    change = Change(id=f"kind:{name}", what="removal" if kind is None else "kind", name=name, kind=kind)
    return change, (await settle_decisions(stores, library, old, replace(old, kinds=kinds)))[0]


async def separate_alias(stores: Stores, library: str, name: str) -> WriteOutcome:
    """Let an alias that the text, or a list, gave to an entity be an entity of its own. Raises InputError."""
    old = await ready_decisions(stores, library)
    names = await stores.graph.names(library, None)
    owners = {one.entity for one in names if one.text == name}
    if name in old.separate and not old.settled:  # an interruption left it half-made
        owners = {old.separate[name]}
    if len(owners) != 1 or name in owners:
        raise InputError(Message("entity.not_an_alias", library=library, name=name))
    [entity] = owners
    new = replace(old, separate={**old.separate, name: entity})
    parting = next(one for one in partings(new, [(one.text, one.entity) for one in names]) if one.alias == name)
    await _rewrite(stores, library, new, parting.apply)
    before = [one.text for one in names if one.entity == entity != one.text]
    change, _ = await settle_decisions(stores, library, old, new, everything=True)
    names = await stores.graph.names(library, None)
    after = [one.text for one in names if one.entity == entity != one.text]
    count = len({one.entity for one in names})
    return WriteOutcome(name=name, into=entity, change=change, before=tuple(before), after=tuple(after), entities=count)


@dataclass(frozen=True, slots=True)
class Parting:
    """An alias that stands for itself now.

    Attributes:
        members: the names of the entity whose alias it was, as texts were tagged with them.
        own: its spellings without the alias.
        known: the spellings of all.
    """

    alias: str
    members: frozenset[str]
    own: frozenset[str]
    known: Spellings

    def parted(self, name: str, text: str) -> list[str]:
        """Return who of the two a text means by a name; where it spells neither, a pronoun still means the entity."""
        if name not in self.members:
            return [name]
        found = {text[start:end] for start, end in self.known.longest(text)}
        is_alias = self.alias in found
        return [*([name] if found & self.own or not is_alias else []), *([self.alias] if is_alias else [])]

    def apply(self, found: Extractions, texts: Texts) -> Extractions:
        """Return what was drawn from a chapter with the alias in the place of the entity where it alone is named."""

        def tags(names: Sequence[str], id: str) -> tuple[str, ...]:
            return tuple(dict.fromkeys(one for name in names for one in self.parted(name, texts.get(id, ""))))

        def end(name: str, evidence: str) -> str:
            return self.parted(name, evidence)[0]

        tagged = {id: (tags(entities, id), tags(people, id)) for id, (entities, people) in found.tags.items()}
        relations = [
            replace(row, source=end(row.source, row.evidence), target=end(row.target, row.evidence))
            for row in found.relations
        ]
        events = [
            replace(
                event,
                primary_character=end(event.primary_character, event.evidence),
                participants=tuple(replace(one, name=end(one.name, event.evidence)) for one in event.participants),
            )
            for event in found.events
        ]
        return Extractions(tagged, relations, events)


def partings(decisions: Decisions, names: Sequence[tuple[str, str]]) -> list[Parting]:
    """Return how the aliases that stand for themselves part from their entities; `names` are (spelling, entity)."""
    known = Spellings.compile([*(spelling for spelling, _ in names), *decisions.separate])
    found: list[Parting] = []
    for alias, entity in decisions.separate.items():
        members = frozenset([entity, *(name for name, end in decisions.merged.items() if end == entity)])
        own = frozenset(spelling for spelling, one in names if one in members and spelling != alias)
        found.append(Parting(alias, members, own, known))
    return found


async def _rewrite(
    stores: Stores, library: str, decisions: Decisions, change: Callable[[Extractions, Texts], Extractions]
) -> None:
    """Change all that is kept as drawn from the texts.

    `decisions` are marked first as not yet applied: an interruption leaves some of it as it was.
    """
    await save_decisions(stores.catalog, library, replace(decisions, settled=False))
    await change_extractions(stores, library, await imports(stores.catalog, library), change)
