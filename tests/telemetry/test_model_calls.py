"""The limit of a user's model calls: they are counted, not the questions."""

from functools import partial
from typing import Any

import pytest

from nodes.turn import ASKER
from tests.gemini.parts import call, text
from tests.gemini.replies import turn
from tests.gemini.space import Space
from tests.small_story import Opening
from tests.telemetry.test_spans import ANSWER, QUESTION, model_settings
from tools.errors import ConfigError
from tools.holding import holding
from wenmai.application.caller import Caller
from wenmai.application.conversations import Conversations
from wenmai.application.limits import ConcurrencyLimits, ModelCallLimit
from wenmai.application.operations import Application, Shared
from wenmai.application.own_conversations import open_conversations
from wenmai.inputs import FieldError
from wenmai.settings.settings import load_settings

TOO_MANY = 429


async def asked(app: Application, user: str) -> dict[str, Any]:
    """Ask as a user and return the record."""
    talk = app.for_caller(Caller(user_id=user)).conversations
    return (await talk.ask(QUESTION, library="river", grade="never", opening_search=False)).record


async def test_a_user_whose_calls_are_spent(openai: Space, opening: Opening) -> None:
    """Three calls a day: the first question takes two, the second one is finished, the third is refused."""
    openai.play(*[turn(call("search_memory", {"query": "苏晚照 哥哥"})), turn(text(ANSWER))] * 3)
    async with (
        opening(model_call_limit="100/hour;3/day", **model_settings(openai)) as agent,
        open_conversations(agent.services, ConcurrencyLimits(at_once=2, most_pending=2)) as conversations,
    ):
        app = Application(agent.services, shared=Shared(partial(given, conversations)))
        for _ in range(2):
            assert (await asked(app, "u1"))["usage"]["calls"] == 2
        with pytest.raises(FieldError, match="MODEL_CALL_LIMIT=100/hour;3/day") as error:
            await asked(app, "u1")
        assert error.value.status == TOO_MANY
        assert (await asked(app, "u2"))["usage"]["calls"] == 2


async def given(conversations: Conversations) -> Conversations:
    return conversations


def test_seconds_to_wait() -> None:
    limit = ModelCallLimit("2/hour")
    assert limit.wait("u1") == 0
    with holding(ASKER, "u1"):
        for _ in range(3):
            limit.on_llm_end(None)
    assert 3500 < limit.wait("u1") <= 3601 and limit.wait("u2") == 0


def test_a_wrong_limit() -> None:
    with pytest.raises(ConfigError, match="MODEL_CALL_LIMIT"):
        load_settings(model_call_limit="many")
