"""Questions without `await`, for notebooks and scripts."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from wenmai.agent import Answer, open_agent


def ask(question: str, **fields: Any) -> Answer:
    """Answer a question; stores are open only as long as it takes.

    A notebook runs a loop of its own, so the question is asked in another thread.

    Args:
        question: one message of the user.
        **fields: as for `Agent.ask`; `thread_id=answer.thread_id` asks on.

    Raises:
        ValueError: a blank question, an unknown or wrong field, an unknown library, a foreign thread.
        StoreError: the library is locked, corrupt, or built with another embedder.
    """
    with ThreadPoolExecutor(1, thread_name_prefix="wenmai-ask") as pool:
        return pool.submit(asyncio.run, _answer(question, fields)).result()


async def _answer(question: str, fields: dict[str, Any]) -> Answer:
    async with open_agent() as agent:
        return await agent.ask(question, **fields)
