"""Questions about diseases as people put them, over networks whose labels are Chinese and English."""

from pathlib import Path
from typing import Any

import pytest

from tests.networks.rig import kind
from tools.networks.lexicon import lexicon_of
from tools.networks.records import NetworkSchema
from wenmai.agent import open_agent
from wenmai.knowledge.content import CheckedContent, ordered_content, to_spec
from wenmai.minds.offline.networks.naming import types_in_full
from wenmai.stores.networks.local import KnowledgeFolders, import_content

WORDS = {"zh": ("疾病", "名称", "症状", "治疗"), "en": ("Disease", "Name", "Symptoms", "Treatment")}
ROWS = {
    "zh": [
        ("细菌性肺炎", "发热、咳嗽", "抗生素"),
        ("病毒性肺炎", "发热、干咳", "休息"),
        ("急性上气道梗阻", "喘鸣", "取出异物"),
    ],
    "en": [
        ("Bacterial Pneumonia", "fever, cough", "antibiotics"),
        ("Viral Pneumonia", "fever, dry cough", "rest"),
        ("Acute Airway Obstruction", "stridor", "removal of the foreign body"),
    ],
}
OBSTRUCTION = "Acute Airway Obstruction — Treatment: removal of the foreign body[1]."
FEVER_EN = "Disease with Symptoms fever: 2 in all: Bacterial Pneumonia[1], Viral Pneumonia[2]."


def ward(language: str) -> CheckedContent:
    type_name, *labels = WORDS[language]
    names = ("name", "sign", "cure")
    disease: dict[str, Any] = {
        "id": "disease",
        "name": type_name,
        "primary_keys": ["name"],
        "display_key": "name",
        "instances": "x",
        "properties": [{"name": n, "display_name": label} for n, label in zip(names, labels, strict=True)],
    }
    spec = to_spec({"id": language, "name": "Ward", "object_types": [disease], "relation_types": []}, "test")
    rows: dict[str, Any] = {"disease": [dict(zip(names, row, strict=True)) for row in ROWS[language]]}
    return ordered_content(spec, rows, {})


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("肺炎有哪些症状？", "病毒性肺炎的症状：发热、干咳[1]。\n细菌性肺炎的症状：发热、咳嗽[2]。"),
        ("哪些病会发热？", "症状为发热的疾病共2个：病毒性肺炎[1]、细菌性肺炎[2]。"),
        ("Which diseases cause fever?", FEVER_EN),
        ("How is Acute Airway Obstruction treated?", OBSTRUCTION),
        ("What treats Viral Pneumonia?", "Viral Pneumonia — Treatment: rest[1]."),
        ("How do you treat Viral Pneumonia?", "Viral Pneumonia — Treatment: rest[1]."),
    ],
)
async def test_questions_of_a_ward(tmp_path: Path, question: str, answer: str) -> None:
    """KNO-40 LOP-09: the end of a name, the end of a type's name, one of several values, the verb of a label."""
    language = "en" if question.isascii() else "zh"
    import_content(KnowledgeFolders(tmp_path), ward(language), lambda done, total: None)
    async with open_agent(data_dir=tmp_path, trace_dir=tmp_path / "traces", google_api_key=None) as agent:
        found = (await agent.ask(question, toolkits=["knowledge"], kn_ids=[language])).text
    assert found == answer


@pytest.mark.parametrize(("question", "full"), [("哪些病会发热？", "哪些疾病会发热？"), ("哪些病人会发热？", None)])
def test_the_end_of_a_types_name(question: str, full: str | None) -> None:
    """KNO-40: a character that is a word by itself; 病人 is another one."""
    schema = NetworkSchema(id="ward", object_types=(kind(name="疾病"),))
    assert types_in_full(question, lexicon_of([], True, [schema])) == (full or question)
