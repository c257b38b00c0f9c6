"""The judge of experiments: its score, and what becomes of a failure."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.gemini import fault
from tests.gemini.fixtures import gemini, gemini_server
from tests.gemini.parts import as_json, text
from tests.gemini.replies import always
from tests.gemini.space import LOOPBACK_MODEL, Gemini
from wenmai.app.container import Services
from wenmai.experiments.judge import Judge, judge_of, judging
from wenmai.experiments.questions import ExpectedTurn, Gold
from wenmai.minds.choice import role_model
from wenmai.minds.model.patience import Patience
from wenmai.settings.settings import load_settings

__all__ = ["gemini", "gemini_server"]

ASKED = ExpectedTurn(
    id="q", type="fact", question="谁？", gold=(Gold("木匠石敢"),), expect=(("石敢", "石大斧"),), names=("石敢",)
)
RECORD: dict[str, Any] = {
    "resolved_question": "救人的是谁？",
    "answer": "石敢[1]。",
    "evidence": [{"id": "p1", "text": "木匠石敢跳下水"}, {"id": "p2", "text": "无关"}],
    "citations": [{"n": 1, "evidence": "p1", "quote": "石敢"}],
}
OPINION = {"correct": 10, "supported": 4, "complete": 10, "reason": "好"}
QUICK = Patience(attempts=2, first_s=0.01, longest_s=0.02)


@pytest.fixture
async def judge(gemini: Gemini) -> AsyncIterator[Judge]:
    services = Services(
        load_settings(
            _env_file=None, google_api_key=gemini.key, gemini_base_url=gemini.url, gemini_model=LOOPBACK_MODEL
        )
    )
    yield judge_of(services, QUICK)
    await services.close()


async def test_scores(gemini: Gemini, judge: Judge) -> None:
    """S003-23: the score is the mean of the three."""
    gemini.play(always(as_json(OPINION)))
    judged = await judge(ASKED, RECORD)
    assert judged.scores == {"judge": pytest.approx(0.8)}
    assert judged.usage["calls"] == 1 and {row["role"] for row in judged.usage["by"]} == {"judge"}
    assert gemini.history[0].config["responseJsonSchema"]["required"] == ["correct", "supported", "complete", "reason"]


async def test_a_failure_is_no_score(gemini: Gemini, judge: Judge) -> None:
    """LOP-04 LOP-05: transient failures are tried again; what lasts leaves no score, never a 0."""
    gemini.play(fault.status(503), as_json(OPINION))
    assert (await judge(ASKED, RECORD)).scores == {"judge": pytest.approx(0.8)}
    gemini.play(always(text("很好")))
    judged = await judge(ASKED, RECORD)
    assert judged.scores == {"judge": None}
    assert "没有给出可用的回答" in judged.reasons["judge"]


def test_what_a_judge_sees() -> None:
    """S003-12: question, reference, answer and the cited text; nothing that was not cited."""
    shown = judging(ASKED, RECORD)
    assert "木匠石敢" in shown and "石敢 或 石大斧" in shown and "[1] 木匠石敢跳下水" in shown and "所指: 石敢" in shown
    assert "无关" not in shown
    refusal = ExpectedTurn(id="q", type="unanswerable", question="Who?", answerable=False)
    assert "The story has no answer." in judging(refusal, RECORD)


def test_the_model_comes_from_the_settings() -> None:
    """S000-D16: JUDGE_MODEL, the agent's where it is unset."""
    plain = load_settings(_env_file=None)
    assert role_model(plain, "judge").id == plain.gemini_model
    named = role_model(load_settings(_env_file=None, judge_model="a"), "judge")
    assert (named.id, named.variable) == ("a", "JUDGE_MODEL")


async def test_the_judge_has_a_breaker_of_its_own(gemini: Gemini) -> None:
    """A judge that is down does not open the planner's circuit, nor is it stopped by it."""
    services = Services(
        load_settings(
            _env_file=None,
            google_api_key=gemini.key,
            gemini_base_url=gemini.url,
            gemini_model=LOOPBACK_MODEL,
            breaker_failures=1,
        )
    )
    gemini.outage = fault.status(503)
    judged = await judge_of(services, QUICK)(ASKED, RECORD)
    assert judged.scores == {"judge": None} and services.assembly.breaker.opened_at is None
    services.assembly.breaker.opened_at = services.assembly.breaker.clock()
    gemini.outage = None
    gemini.play(always(as_json(OPINION)))
    assert (await judge_of(services, QUICK)(ASKED, RECORD)).scores["judge"] == pytest.approx(0.8)
    await services.close()
