"""The check of a turn's draft: its kind first, then its sentences beside the evidence."""

import logging
from dataclasses import dataclass

from nodes.checking.draft_check import CheckedDraft, CheckRequest, DraftCheck
from nodes.checking.kinds import kind_of
from nodes.prompts.chinese import apologies, refuses, user_text
from nodes.roles import Minds
from nodes.scope import horizon_of
from state.context import Context
from state.schema import AgentState, Status
from tools.errors import STORE_FAILURES
from tools.story.linking import EntityLinker, NameTable

log = logging.getLogger("wenmai.loop")


@dataclass(frozen=True, slots=True)
class CheckedTurn:
    """A state whose draft was checked, with what was found of it; `status` is None for an answer."""

    state: AgentState
    found: CheckedDraft
    status: Status | None


@dataclass(frozen=True, slots=True)
class CheckTurn:
    """Checks the draft of a state with the names of its library."""

    minds: Minds
    check: DraftCheck
    linker: EntityLinker

    async def __call__(self, state: AgentState, context: Context) -> CheckedTurn:
        """Return the state with the draft that is left; what code has written stays as it is."""
        draft, language = state["draft"] or "", state["language"]
        is_by_code = self.minds.of(state).extracts or refuses(draft, language)
        if is_by_code or draft in ("", *apologies(language), state["ready"]):
            return CheckedTurn(state, CheckedDraft(draft, [], is_refusal=False, is_verified=False), None)
        kind = "chat" if state["small_talk"] else kind_of(draft, state["question"])
        request = CheckRequest(
            question=state["question"],
            resolved=state["resolved_question"],
            draft=draft,
            evidence=state["evidence"],
            table=await self.table(state, context),
            known=[text for turn in state["session"]["turns"] for text in (turn["resolved"], turn["answer"])],
            is_chat=kind == "chat",
        )
        found = await self.check(request)
        for one in found.notes:
            log.info("draft: a sentence was %s (%s)", one["action"], one["reason"])
        status: Status | None = None if kind == "answer" or not found.text else kind
        if kind == "answer" and found.is_refusal:
            status = "not_found"
        left = found.text or user_text("not_found", language)
        checked: AgentState = {**state, "draft": left, "notes": found.notes, "status": status}
        return CheckedTurn(checked, found, status)

    async def table(self, state: AgentState, context: Context) -> NameTable:
        """Return the names of the library, none where the store does not answer."""
        try:
            return await self.linker.table(context.library, horizon_of(state))
        except STORE_FAILURES as error:
            log.warning("draft checked without names: %s", error)
            return NameTable.build(())
