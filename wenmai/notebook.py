"""Questions without `await`, for notebooks and scripts."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from typing_extensions import Unpack

from state.context import ContextFields
from wenmai.agent import Answer, open_agent


def ask(question: str, *, thread_id: str | None = None, **fields: Unpack[ContextFields]) -> Answer:
    """Answer a question; stores are open only as long as it takes.

    A notebook runs a loop of its own, so the question is asked in another thread.

    Args:
        question: one message of the user.
        thread_id: of an earlier answer, to ask on.
        **fields: any field of `state.context.Context`.

    Raises:
        ValueError: a blank question, an unknown or wrong field, an unknown library, a foreign thread.
        StoreError: the library is locked, corrupt, or built with another embedder.
    """
    with ThreadPoolExecutor(1, thread_name_prefix="wenmai-ask") as pool:
        return pool.submit(asyncio.run, _answer(question, thread_id, fields)).result()


async def _answer(question: str, thread_id: str | None, fields: ContextFields) -> Answer:
    async with open_agent() as agent:
        return await agent.ask(question, thread_id=thread_id, **fields)
