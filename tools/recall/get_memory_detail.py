"""get_memory_detail: the full text of a memory of the run's user, in parts where it is too long for one result."""

import json
from itertools import accumulate

from tools.arguments import shown
from tools.formatting import dump, fit_json
from tools.messages import say
from tools.recall.context import MemoryContext
from tools.recall.failures import Refused
from tools.recall.inputs import DetailInput
from tools.recall.outputs import DetailOutput, plain
from tools.recall.wording import REMEDIES

CONTENT_BYTES = 102_400


async def get_memory_detail(arguments: DetailInput, call: MemoryContext) -> DetailOutput:
    """Return a memory from the offset on; unknown, inactive and foreign keys get the same refusal.

    Raises StoreError, Refused.
    """
    memory = await call.store.get(call.user_id, arguments.memory_key)
    if memory is None or not call.may_know(memory):
        error = say("recall.unknown_memory", key=shown(arguments.memory_key))
        message = say("recall.with_remedy", error=error, remedy=str(REMEDIES["not_found"]))
        return DetailOutput(success=False, message=message, error_code="not_found")
    if not call.may_read(memory):
        raise Refused("permission_denied", say("recall.sensitive_forbidden"))
    content, size = cut(memory.content)
    truncated = content != memory.content
    return DetailOutput(
        memory_key=memory.memory_key,
        summary=memory.summary or "",
        content=content[arguments.offset :],
        memory_type=memory.memory_type,
        created_at=memory.created_at.isoformat(),
        metadata=dict(memory.content_metadata),
        truncated=truncated,
        original_size=size,
        message=say("recall.detail_cut", size=size) if truncated else say("recall.detail"),
    )


def cut(content: str) -> tuple[str, int]:
    """Return at most 100 KB of a text, cut between two characters, and the size of the whole text in bytes."""
    raw = content.encode("utf-8", "surrogatepass")
    if len(raw) <= CONTENT_BYTES:
        return content, len(raw)
    return raw[:CONTENT_BYTES].decode("utf-8", "ignore"), len(raw)


def fitted(output: DetailOutput, offset: int, budget: int) -> str:
    """Return a memory, from `offset` on, as JSON text of at most `budget` characters: what fits, and where to go on."""
    about = {"summary": output.summary, "metadata": output.metadata}
    if len(dump(about)) > budget // 2:
        about = json.loads(fit_json(about, budget // 2))
    output = output.model_copy(update=about)
    whole = cut_to(output, len(output.content), offset)
    room = budget - (len(dump(plain(whole))) - len(dump(whole.content)) + len('""'))
    widths = accumulate(len(dump(letter)) - len('""') for letter in output.content[: max(0, room)])
    return dump(plain(part_of(output, sum(width <= room for width in widths), offset)))


def part_of(output: DetailOutput, count: int, offset: int) -> DetailOutput:
    """Return a memory with the first `count` characters of its content; all of them need no word about a rest."""
    if count == len(output.content):
        return output.model_copy(update={"truncated": True})
    return cut_to(output, count, offset)


def cut_to(output: DetailOutput, count: int, offset: int) -> DetailOutput:
    """Return a memory with the first `count` characters of its content alone."""
    end = offset + count
    message = say("recall.detail_part", size=output.original_size, offset=offset, shown=count, next=end)
    part = {"content": output.content[:count], "truncated": True, "next_offset": end, "message": message}
    return output.model_copy(update=part)
