"""Random conversations: sent back whole they are always taken, with any one thing changed they are refused."""

import copy
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.gemini.ask import QUESTION, answer
from tests.gemini.conversation import check_conversation
from tests.gemini.models import model
from tests.gemini.parts import Json, call, calls, text, thought
from tests.gemini.refusals import Refusal
from tests.gemini.replies import candidate
from tests.gemini.response import signed
from tests.gemini.signatures import Signatures
from tests.gemini.space import LOOPBACK_MODEL

MODEL = model(LOOPBACK_MODEL)
NAMES = st.sampled_from(["search_memory", "track_journey", "stop"])
ARGUMENTS = st.dictionaries(st.sampled_from(["query", "limit"]), st.integers(0, 9) | st.just(3.0) | st.text(max_size=3))
CALLS = st.lists(st.builds(call, NAMES, ARGUMENTS), min_size=1, max_size=4)
BEFORE = st.lists(st.builds(thought, st.text(max_size=3)) | st.builds(text, st.text(max_size=3)), max_size=2)
ROUNDS = st.lists(st.tuples(BEFORE, CALLS), min_size=1, max_size=4)
Damage = Callable[[Json, Json], object]
DAMAGES: dict[str, Damage] = {
    "a response less": lambda asked, answered: answered["parts"].pop(),
    "a response more": lambda asked, answered: answered["parts"].append(answer("stop")),
    "a response of another function": lambda asked, answered: answered["parts"].__setitem__(0, answer("nobody")),
    "a role": lambda asked, answered: answered.update(role="model"),
    "a lost signature": lambda asked, answered: first_call(asked).pop("thoughtSignature"),
    "an altered signature": lambda asked, answered: first_call(asked).update(thoughtSignature="x"),
    "other arguments": lambda asked, answered: first_call(asked)["functionCall"].update(args={"other": 1}),
    "an empty turn": lambda asked, answered: asked.update(parts=[]),
}


def first_call(content: Json) -> Json:
    """Return the part of the first call."""
    return next(part for part in content["parts"] if "functionCall" in part)


def conversation(rounds: list[tuple[list[Json], list[Json]]], signatures: Signatures) -> list[Json]:
    """Return what an honest client sends after these turns of the model."""
    contents: list[Json] = [QUESTION]
    for before, made in rounds:
        asked: Json = signed(candidate([*before, *made]), MODEL, signatures)["content"]
        contents += [asked, {"role": "user", "parts": [answer(one["name"]) for one in calls(asked)]}]
    return contents


def check(contents: list[Json], signatures: Signatures) -> None:
    """Apply the rules of conversations and signatures."""
    check_conversation(contents, MODEL)
    signatures.check(contents)


@given(ROUNDS)
def test_whole_conversations_are_taken(rounds: list[tuple[list[Json], list[Json]]]) -> None:
    """No honest client is refused, also with a late instruction of the user."""
    signatures = Signatures()
    contents = conversation(rounds, signatures)
    check(contents, signatures)
    check([*contents, QUESTION], signatures)
    assert len(signatures.issued) == len(rounds)


@pytest.mark.parametrize("damage", list(DAMAGES.values()), ids=list(DAMAGES))
@given(rounds=ROUNDS, data=st.data())
def test_damaged_conversations_are_refused(
    damage: Damage, rounds: list[tuple[list[Json], list[Json]]], data: st.DataObject
) -> None:
    """One change anywhere in the conversation is found."""
    signatures = Signatures()
    contents = copy.deepcopy(conversation(rounds, signatures))
    place = data.draw(st.integers(0, len(rounds) - 1)) * 2 + 1
    damage(contents[place], contents[place + 1])
    with pytest.raises(Refusal) as caught:
        check(contents, signatures)
    assert caught.value.code == 400
