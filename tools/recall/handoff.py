"""handoff: the end of a recall, and the message for the calling agent."""

from collections.abc import Mapping, Sequence

from state.recall import HandedOff
from tools.arguments import shown
from tools.messages import say
from tools.recall.context import MemoryContext
from tools.recall.inputs import HandoffInput
from tools.recall.outputs import HandoffOutput


async def handoff(arguments: HandoffInput, call: MemoryContext) -> HandoffOutput:
    """Return the handoff message; the recall ends at once."""
    settled = checked_handoff(arguments, call)
    return HandoffOutput(message=handoff_message(settled), dropped_keys=[shown(key) for key in settled["dropped"]])


def checked_handoff(arguments: HandoffInput, call: MemoryContext) -> HandedOff:
    """Return the checked handoff: without unseen keys, with reason and question."""
    wanted = list(dict.fromkeys(arguments.relevant_memory_keys or ()))
    known = call.seen.keys() | call.leads
    keys = [key for key in wanted if key in known]
    question = arguments.follow_up_question if arguments.needs_more_info else None
    return HandedOff(
        reason=arguments.reason or say("recall.reason_found" if keys else "recall.nothing_found"),
        search_summary=arguments.search_summary,
        confidence=arguments.confidence,
        keys=keys,
        dropped=[key for key in wanted if key not in known],
        needs_more_info=arguments.needs_more_info,
        follow_up_question=(question or say("recall.follow_up")) if arguments.needs_more_info else None,
    )


def automatic(seen: Mapping[str, float], text: str = "") -> HandedOff:
    """Return the handoff of a recall without one: the memories found so far."""
    keys = sorted(seen, key=lambda key: -seen[key])
    summary = text.strip() or (say("recall.summary_found", count=len(keys)) if keys else say("recall.nothing_found"))
    return HandedOff(
        reason=say("recall.reason_cap"),
        search_summary=summary,
        confidence=max(seen.values(), default=0.0),
        keys=keys,
        dropped=[],
        needs_more_info=False,
        follow_up_question=None,
    )


def handoff_message(ended: HandedOff) -> str:
    """Return the message for the calling agent; parts without content are left out."""
    parts = [
        say("recall.handoff", confidence=ended["confidence"]),
        say("recall.handoff_summary", text=ended["search_summary"]),
        say("recall.handoff_reason", text=ended["reason"]),
        *keys_part(ended["keys"]),
    ]
    if ended["needs_more_info"] and ended["follow_up_question"]:
        parts.append(say("recall.handoff_question", text=ended["follow_up_question"]))
    return "\n".join(parts)


def keys_part(keys: Sequence[str]) -> list[str]:
    """Return the lines that list the memories."""
    return [say("recall.handoff_keys", count=len(keys)), *(f"- {key}" for key in keys)] if keys else []
