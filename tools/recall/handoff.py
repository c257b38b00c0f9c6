"""handoff: the end of a recall, and the message for the calling agent (memory.md §7)."""

from collections.abc import Sequence
from dataclasses import dataclass

from tools.arguments import shown
from tools.recall.context import MemoryContext
from tools.recall.inputs import HandoffInput
from tools.recall.outputs import HandoffOutput
from tools.recall.wording import (
    FOLLOW_UP,
    HANDOFF,
    HANDOFF_KEYS,
    HANDOFF_QUESTION,
    HANDOFF_REASON,
    HANDOFF_SUMMARY,
    NOTHING,
    REASON_CAP,
    REASON_FOUND,
    REASON_NOTHING,
    SUMMARY_FOUND,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What a recall ends with: only keys that it has seen."""

    reason: str
    search_summary: str
    confidence: float
    keys: tuple[str, ...]
    dropped: tuple[str, ...]
    needs_more_info: bool
    follow_up_question: str | None


async def handoff(arguments: HandoffInput, call: MemoryContext) -> HandoffOutput:
    """Return the handoff message; the recall ends at once (S002-21)."""
    settled = settle(arguments, call)
    return HandoffOutput(message=handoff_message(settled), dropped_keys=[shown(key) for key in settled.dropped])


def settle(arguments: HandoffInput, call: MemoryContext) -> Settled:
    """Return what the arguments come to: unseen keys removed, reason and question derived (S002-D13, S002-D14)."""
    wanted = list(dict.fromkeys(arguments.relevant_memory_keys or ()))
    keys = tuple(key for key in wanted if key in call.seen)
    question = arguments.follow_up_question if arguments.needs_more_info else None
    return Settled(
        reason=arguments.reason or (REASON_FOUND if keys else REASON_NOTHING).say(),
        search_summary=arguments.search_summary,
        confidence=arguments.confidence,
        keys=keys,
        dropped=tuple(key for key in wanted if key not in call.seen),
        needs_more_info=arguments.needs_more_info,
        follow_up_question=(question or FOLLOW_UP.say()) if arguments.needs_more_info else None,
    )


def automatic(call: MemoryContext, text: str = "") -> Settled:
    """Return the end of a recall that was not handed off: what was found so far (S002-D12)."""
    keys = sorted(call.seen, key=lambda key: -call.seen[key])
    summary = text.strip() or (SUMMARY_FOUND.say(count=len(keys)) if keys else NOTHING.say())
    return Settled(
        reason=REASON_CAP.say(),
        search_summary=summary,
        confidence=max(call.seen.values(), default=0.0),
        keys=tuple(keys),
        dropped=(),
        needs_more_info=False,
        follow_up_question=None,
    )


def handoff_message(settled: Settled) -> str:
    """Return the message of S002-20; parts without content are left out."""
    parts = [
        HANDOFF.say(confidence=settled.confidence),
        HANDOFF_SUMMARY.say(text=settled.search_summary),
        HANDOFF_REASON.say(text=settled.reason),
        *keys_part(settled.keys),
    ]
    if settled.needs_more_info and settled.follow_up_question:
        parts.append(HANDOFF_QUESTION.say(text=settled.follow_up_question))
    return "\n".join(parts)


def keys_part(keys: Sequence[str]) -> list[str]:
    """Return the lines that list the memories."""
    return [HANDOFF_KEYS.say(count=len(keys)), *(f"- {key}" for key in keys)] if keys else []
