from wenmai.ingestion.names.discovery import discover
from wenmai.ingestion.sources.aliases import KnownName

CHINESE = (
    "陆听雪划着小艇出了码头。陆听雪说：“有船在打转。”林渡问道：“谁？”她看见林渡，便对林渡摇头。\n"
    "次日，陆听雪走到白鸦礁。人们叫陆听雪进来，陆听雪笑道：“不急。”林渡叹了口气。众人往白鸦礁去。\n"
    "后来她回到白鸦礁。林渡坐在船头，等着陆听雪。陆听雪问：“风呢？”林渡说：“没有风。”他在白鸦礁等过人。\n"
)
ENGLISH = (
    'Captain Moss looked at the sea. "We sail," said Moss. Anna Reed laughed. Everyone knew Anna Reed. '
    '"Why?" asked Anna. They went to Crow Island that night. The fog hid Crow Island. In the morning Moss nodded, '
    "and Anna came to Moss. They left Crow Island. Then Reed said nothing. But Anna stood still; so did Captain Moss.\n"
)


def test_chinese_names_are_found() -> None:
    found = {entry.name: entry.kind for entry in discover([CHINESE * 2], [], "zh")}
    assert found.get("陆听雪") == "Character"
    assert "说" not in "".join(found)


def test_known_names_are_not_found_again() -> None:
    known = [KnownName(name="陆听雪")]
    assert "陆听雪" not in {entry.name for entry in discover([CHINESE * 2], known, "zh")}


def test_english_names_are_found_and_joined() -> None:
    found = {entry.name: entry for entry in discover([ENGLISH], [], "en")}
    assert set(found["Anna Reed"].aliases) == {"Anna", "Reed"}
    assert found["Crow Island"].kind == "Location"
    assert not {"The", "Then", "They", "But", "Why"} & set(found)
