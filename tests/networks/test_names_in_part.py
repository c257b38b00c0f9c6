"""What is known of a network by the names of its instances, and the question with names in the place of their parts."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from tests.fake_knowledge import FakeKnowledgeNetwork
from tests.networks.rig import CLINIC, LIN, fake_clinic, instance_queries, kind
from tools.networks.lexicon import Lexicon, Lexicons, NetworkSelection, known, lexicon_of
from tools.networks.records import Instance, NetworkSchema, Property
from wenmai.minds.offline.networks.naming import asked_words, in_full

HERE = NetworkSelection((CLINIC,), LIN)
TYPE = kind(
    Property(name="name", display_name="名称", type="string"),
    Property(name="cure", display_name="治疗", type="string"),
    Property(name="sign", display_name="症状", type="string"),
    name="疾病",
    display_key="name",
    primary_keys=("name",),
)


def lexicon_with(names: Iterable[str]) -> Lexicon:
    """Return the lexicon of a network of diseases, each with a treatment and symptoms."""
    rows = (
        Instance(object_type_id=TYPE.id, properties={"name": name, "cure": "休息", "sign": "乏力"}, display=name)
        for name in names
    )
    return lexicon_of([known("n", TYPE, row, ()) for row in rows], True, [NetworkSchema(id="n", object_types=(TYPE,))])


def lexicons_of(port: FakeKnowledgeNetwork, most: int) -> Lexicons:
    return Lexicons(port, asked_words, most_found=most)


async def test_a_name_that_was_given_up_for_others_is_found_again() -> None:
    """KNO-40: Given room for two rows, When others took the place of a name, Then it is looked for again."""
    lexicons = lexicons_of(fake_clinic(), 2)
    for question in ("感冒的疗程？", "支气管炎的疗程？", "肺炎的疗程？", "感冒的疗程？"):
        name = question.partition("的")[0]
        assert (await lexicons(HERE, question)).known(name), question


async def test_all_names_of_one_question_are_known_together() -> None:
    """KNO-40: also where one was known before, and the other one needs its place."""
    lexicons = lexicons_of(fake_clinic(), 2)
    for question in ("感冒的疗程？", "肺炎和感冒的疗程？"):
        lexicon = await lexicons(HERE, question)
    assert lexicon.known("肺炎") and lexicon.known("感冒")


async def test_what_was_looked_for_in_vain_is_not_remembered_for_ever() -> None:
    """KNO-40: words that name nothing are forgotten too, where they are too many."""
    port = fake_clinic()
    lexicons = lexicons_of(port, 6)
    for at in range(40):
        await lexicons(HERE, "", [f"无此病{at}"])
        (part,) = lexicons._kept.values()
        assert len(part.words) <= 6 and len(part.rows) <= 6
    count = len(instance_queries(port))
    await lexicons(HERE, "", ["无此病39"])
    assert len(instance_queries(port)) == count, "the last words are remembered"


HYPOTHYROIDISM, INFECTION, OBSTRUCTION = "原发性甲状腺功能减退", "急性上呼吸道感染", "上、下气道梗阻"


@pytest.mark.parametrize(
    ("question", "full"),
    [
        ("气道的梗阻怎么治疗？", f"{OBSTRUCTION}怎么治疗？"),
        ("甲状腺功能减退怎么治疗？", f"{HYPOTHYROIDISM}怎么治疗？"),
        ("甲状腺有什么症状，功能减退怎么治疗？", f"甲状腺有什么症状，{HYPOTHYROIDISM}怎么治疗？"),
        ("甲状腺与呼吸道感染，功能减退的治疗？", f"   与{INFECTION}，{HYPOTHYROIDISM}的治疗？"),
        ("呼吸道感染和甲状腺功能减退的治疗？", f"{INFECTION}和{HYPOTHYROIDISM}的治疗？"),
        ("甲状腺功能减退、呼吸道感染和上气道梗阻的症状？", f"{HYPOTHYROIDISM}、{INFECTION}和{OBSTRUCTION}的症状？"),
    ],
)
def test_several_parts_of_names(question: str, full: str) -> None:
    """LOP-09 KNO-40: each name stands at its own words, and nothing else of the question is lost."""
    assert in_full(question, lexicon_with([HYPOTHYROIDISM, INFECTION, OBSTRUCTION]))[0] == full


def test_a_lexicon_that_changed_is_asked_anew() -> None:
    """KNO-40: what one lexicon makes of a question says nothing of another."""
    few = lexicon_with([INFECTION])
    more = lexicon_with([INFECTION, OBSTRUCTION])
    assert in_full("上气道梗阻怎么治疗？", few)[0] == "上气道梗阻怎么治疗？"
    assert in_full("上气道梗阻怎么治疗？", more)[0] == f"{OBSTRUCTION}怎么治疗？"
    assert in_full("上气道梗阻怎么治疗？", replace(more))[0] == f"{OBSTRUCTION}怎么治疗？"
