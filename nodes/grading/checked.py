"""The check of a turn's draft beside its evidence."""

import logging
from dataclasses import dataclass

from nodes.checking.draft_check import CheckRequest, DraftCheck
from nodes.drafts import NOTHING, written_by_code
from nodes.scope import horizon_of
from state.context import Context
from state.draft import Draft
from state.schema import AgentState
from tools.errors import STORE_FAILURES
from tools.story.linking import EntityLinker, NameTable

log = logging.getLogger("wenmai.loop")


@dataclass(frozen=True, slots=True)
class CheckTurn:
    """Checks the draft of a state with the names of its library."""

    check: DraftCheck
    linker: EntityLinker

    async def __call__(self, state: AgentState, context: Context) -> Draft:
        """Return what is left of a model's draft, the refusal where nothing is; what code has written stays."""
        draft = state["draft"] or NOTHING
        if draft["by"] != "model":
            return draft
        request = CheckRequest(
            question=state["question"],
            resolved=state["resolved_question"],
            draft=draft,
            evidence=state["evidence"],
            table=await self.table(state, context),
            known=[text for turn in state["session"]["turns"] for text in (turn["resolved"], turn["answer"])],
        )
        found = await self.check(request)
        for one in found["notes"]:
            log.info("draft: a sentence was %s (%s)", one["action"], one["reason"])
        if found["sentences"]:
            return found
        return Draft({**written_by_code("not_found", state["language"], "nothing_left"), "notes": found["notes"]})

    async def table(self, state: AgentState, context: Context) -> NameTable:
        """Return the names of the library, none where the store does not answer."""
        try:
            return await self.linker.table(context.library, horizon_of(state))
        except STORE_FAILURES as error:
            log.warning("draft checked without names: %s", error)
            return NameTable.build(())
