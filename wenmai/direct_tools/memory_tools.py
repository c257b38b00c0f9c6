"""The five memory tools for a direct caller: the same arguments, results and errors as inside a recall.

Outside of a recall there is no window of messages and no search before. A handoff therefore may name every memory
that the caller could get, instead of those that were found.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import BaseModel, Field

from tools.arguments import checked
from tools.ports import KeywordExpander
from tools.recall.context import MemoryContext, MemoryReader
from tools.recall.dispatch import dispatch
from tools.recall.schemas import plain
from tools.recall.tools import MemoryTool
from wenmai.app.opening import Opening
from wenmai.application.caller import Caller
from wenmai.application.checks import with_library
from wenmai.application.models.tools import ToolReply, ToolView
from wenmai.direct_tools.calls import (
    PART_OF_GUARD,
    Arguments,
    declared,
    language_of,
    refusal,
    split,
)


class Guarded(BaseModel):
    """The spoiler guard: memories that tell more of a story than its reader knows are not seen."""

    library: str | None = Field(default=None, description="防剧透所指的资料库，只与 as_of_chapter 一起使用")
    as_of_chapter: int | None = Field(default=None, ge=0, description="防剧透：不出现透露这一章之后内容的记忆")
    as_of_part: int | None = Field(default=None, ge=1, description=PART_OF_GUARD)


@dataclass(frozen=True, slots=True)
class OwnMemoryTool:
    """A memory tool that is called by itself."""

    entry: MemoryTool
    reader: MemoryReader
    expander: KeywordExpander
    opening: Opening
    seconds: float

    @property
    def declaration(self) -> ToolView:
        """Its arguments with the guard; the user is none of them."""
        results = self.entry.output_model.model_json_schema()
        return declared(self.entry.name, self.entry.description, self.entry.input_model, Guarded, results=results)

    async def __call__(self, arguments: Arguments, caller: Caller) -> ToolReply:
        """Answer in the tool's own form; without a user nothing is read."""
        beside, own = split(arguments, Guarded)
        guard, problems = checked(Guarded, beside)
        if guard is None:
            return refusal(self.entry.name, problems[0])
        fields = {"toolkits": ["memory"], **guard.model_dump(exclude_none=True)}
        _, context = await with_library(fields, self.opening.services.catalog, caller)
        if caller.user_id:
            await self.opening.open(context)
        call = MemoryContext(
            user_id=caller.user_id,
            store=self.reader,
            model=self.expander,
            permissions=caller.permissions,
            seen=await self.known(own, caller),
            library=context.library,
            horizon=await self.opening.horizon(context),
            language=language_of(arguments),
        )
        done = await dispatch(self.entry.name, own, call, self.seconds)
        structured = plain(done.output) if done.output else {}
        return ToolReply(structured=structured, text=done.content, ok=done.ok)

    async def known(self, arguments: Arguments, caller: Caller) -> Mapping[str, float]:
        """Return those of the named keys that are memories of the user."""
        keys = arguments.get("relevant_memory_keys")
        if not caller.user_id or not self.entry.is_handoff or not isinstance(keys, list):
            return {}
        named = [key for key in keys if isinstance(key, str)]
        return {key: 1.0 for key in named if await self.reader.get(caller.user_id, key) is not None}
