"""The session of a thread: what this run's reader may see of it, and how a turn changes it."""

from collections.abc import Sequence
from dataclasses import dataclass

from nodes.scope import place_of
from state.result import TurnResult
from state.schema import AgentState
from state.session import ANSWER_CHARACTERS, MAX_ENTITIES, MAX_TURNS, EarlierTurn, Session, SessionEntity, SessionTurn
from tools.records import Horizon
from tools.story.names import EntityLinker, NameTable
from tools.text.sentences import beginning


@dataclass(frozen=True, slots=True)
class VisibleSession:
    """Give a run the session that it may see.

    Of a turn with a later horizon than the run's only the user's own words remain: its answer, its resolved question
    and their entities may reveal what the reader does not know yet.
    """

    linker: EntityLinker

    async def __call__(
        self, session: Session | None, library: str, horizon: Horizon | None, earlier: Sequence[EarlierTurn] = ()
    ) -> Session:
        """Return the session; for a thread without turns one of `earlier` turns that the caller has kept."""
        session = session or Session(entities=[], topic=None, turns=[])
        if earlier and not session["turns"]:
            session = kept_by_caller(earlier, await self.linker.table(library, horizon))
        if horizon is None or all(horizon.covers(turn.get("as_of")) for turn in session["turns"]):
            return session
        table = await self.linker.table(library, horizon)
        turns = [
            turn if horizon.covers(turn.get("as_of")) else own_words(turn, table, horizon) for turn in session["turns"]
        ]
        entities: list[SessionEntity] = []
        for turn in turns:
            entities = push(entities, turn["entities"])
        return {**session, "entities": entities, "topic": None, "turns": turns}


def own_words(turn: SessionTurn, table: NameTable, horizon: Horizon) -> SessionTurn:
    """Return a turn as its question alone, with the names that the reader knows in it."""
    question = turn["question"]
    names = names_in(question, table)
    return SessionTurn(question=question, resolved=question, answer="", entities=names, as_of=place_of(horizon))


def kept_by_caller(earlier: Sequence[EarlierTurn], table: NameTable) -> Session:
    """Return the session of turns, oldest first, that a caller has kept: the names in them are found anew."""
    turns = [
        SessionTurn(
            question=one["question"],
            resolved=one["question"],
            answer=beginning(one["answer"], ANSWER_CHARACTERS),
            entities=names_in(one["question"], table),
            as_of=one.get("as_of"),
        )
        for one in earlier[-MAX_TURNS:]
    ]
    entities: list[SessionEntity] = []
    for turn in turns:
        entities = push(entities, [*turn["entities"], *names_in(turn["answer"], table)])
    return Session(entities=entities, topic=None, turns=turns, first=earlier[0]["question"])


def names_in(text: str, table: NameTable) -> list[str]:
    """Return the unambiguous entities of a text, in order of mention."""
    return [mention.entity for mention in table.find(text) if mention.entity]


def push(stack: list[SessionEntity], names: list[str]) -> list[SessionEntity]:
    """Push names in order of mention: the last becomes the newest; no duplicates, at most 8."""
    known = {entity["name"]: entity for entity in stack}
    for name in names:
        known.setdefault(name, SessionEntity(name=name, kind=None, gloss=None))
    order = list(dict.fromkeys([*reversed(names), *(entity["name"] for entity in stack)]))
    return [known[name] for name in order[:MAX_ENTITIES]]


def updated_session(state: AgentState, result: TurnResult, tables: Sequence[NameTable]) -> Session:
    """Push the names of question, tool arguments, best results and answer; keep the last turns.

    `tables` hold the names of the story first, then those of networks.
    """
    session = state["session"]
    turn = SessionTurn(
        question=state["question"],
        resolved=state["resolved_question"],
        answer=beginning(result.answer, ANSWER_CHARACTERS),
        entities=state["entities"],
        as_of=state["as_of"],
    )
    turns = [*session["turns"], turn][-MAX_TURNS:]
    first = session.get("first", turns[0]["question"])
    if state["status"] in ("small_talk", "failed"):
        return Session(entities=session["entities"], topic=session["topic"], turns=turns, first=first)
    arguments = [str(value) for call in state["tool_calls"] for value in call["args"].values()]
    called = [name for text in arguments for name in names_in(text, tables[0])]
    answered = [name for table in tables for name in names_in(result.answer, table)]
    names = [*state["entities"], *called, *cited_names(result), *answered]
    stack = push(session["entities"], list(dict.fromkeys(names[::-1]))[::-1])
    entities = [described(entity, tables) for entity in stack]
    return Session(entities=entities, topic=state["topic"] or session["topic"], turns=turns, first=first)


def cited_names(result: TurnResult) -> list[str]:
    """Return the entities of the relations and events that the answer cites."""
    cited = {citation["evidence"] for citation in result.citations}
    pieces = [piece for piece in result.evidence if piece["id"] in cited and piece["kind"] != "passage"]
    return [name for piece in pieces for name in piece["entities"]]


def described(entity: SessionEntity, tables: Sequence[NameTable]) -> SessionEntity:
    """Return a stack entry with the kind that the library, or a network, knows."""
    kinds = (table.kind(entity["name"]) for table in tables)
    kind = entity["kind"] or next((kind for kind in kinds if kind), None)
    return SessionEntity(name=entity["name"], kind=kind, gloss=entity["gloss"])
