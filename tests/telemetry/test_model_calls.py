"""The limit of a user's model calls: they are counted, not the questions."""

from typing import Any
from uuid import uuid4

import pytest

from tests.gemini.parts import call, text
from tests.gemini.replies import turn
from tests.gemini.space import Space
from tests.small_story import Opening
from tests.telemetry.test_spans import ANSWER, QUESTION, model_settings
from wenmai.application.caller import Caller
from wenmai.errors import ConfigError
from wenmai.inputs import FieldError
from wenmai.settings.settings import load_settings
from wenmai.web.conversations.own import OwnConversations
from wenmai.web.conversations.port import Asked
from wenmai.web.limits import ModelCallLimit
from wenmai.web.own.server import conversations_on

TOO_MANY = 429


async def asked(conversations: OwnConversations, user: str) -> dict[str, Any]:
    """Ask as a user and return the record."""
    context = {"library": "river", "grade": "never", "opening_search": False}
    question = Asked(question=QUESTION, thread=str(uuid4()), context=context)
    events = [event async for event in conversations.ask(Caller(user_id=user), question)]
    return dict(events[-1].data)


async def test_a_user_whose_calls_are_spent(openai: Space, opening: Opening) -> None:
    """Three calls a day: the first question takes two, the second one is finished, the third is refused."""
    openai.play(*[turn(call("search_memory", {"query": "苏晚照 哥哥"})), turn(text(ANSWER))] * 3)
    async with opening(model_call_limit="100/hour;3/day", **model_settings(openai)) as agent:
        conversations = await conversations_on(agent.services, agent.checkpoints)
        for _ in range(2):
            assert (await asked(conversations, "u1"))["usage"]["calls"] == 2
        with pytest.raises(FieldError, match="MODEL_CALL_LIMIT=100/hour;3/day") as error:
            await asked(conversations, "u1")
        assert error.value.status == TOO_MANY
        assert (await asked(conversations, "u2"))["usage"]["calls"] == 2


def test_seconds_to_wait() -> None:
    limit = ModelCallLimit("2/hour")
    assert limit.wait("u1") == 0
    for _ in range(3):
        limit.count("u1")
    assert 3500 < limit.wait("u1") <= 3601 and limit.wait("u2") == 0


def test_a_wrong_limit() -> None:
    with pytest.raises(ConfigError, match="MODEL_CALL_LIMIT"):
        load_settings(model_call_limit="many")
