"""expand_context_window: more of the session, in a new iteration."""

from tools.messages import say
from tools.recall.context import Iteration, MemoryContext
from tools.recall.inputs import ExpandInput
from tools.recall.outputs import ExpandOutput

WINDOW_MOST = 50


async def expand_context_window(arguments: ExpandInput, call: MemoryContext) -> ExpandOutput:
    """Approve a larger window if there are more messages, or refuse; the real window counts."""
    at = call.iteration
    if at.number >= at.most:
        return refusal(at, say("recall.window_last_iteration", most=at.most))
    if arguments.requested_size <= at.window:
        return refusal(at, say("recall.window_not_larger", size=at.window))
    size = min(arguments.requested_size, at.available, WINDOW_MOST)
    if size <= at.window:
        return refusal(at, say("recall.no_older_messages"))
    number = at.number + 1
    message = say("recall.window_expanded", size=size, iteration=number)
    return ExpandOutput(approved=True, new_size=size, iteration=number, max_iterations=at.most, message=message)


def refusal(at: Iteration, message: str) -> ExpandOutput:
    """Return a refusal, which changes nothing."""
    return ExpandOutput(
        approved=False, new_size=at.window, iteration=at.number, max_iterations=at.most, message=message
    )
