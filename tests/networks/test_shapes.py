"""What the offline mind asks of a network beyond one label of one instance, by the network's own names."""

from pathlib import Path

import pytest

from tests.networks.harbor import NOT_FOUND, agent, folder, played, said
from wenmai.agent import Agent, open_agent
from wenmai.knowledge.inferring import read_folder
from wenmai.stores.networks.local import KnowledgeFolders, import_content

__all__ = ["agent", "folder"]

CAPTAIN = "云雀号 — 船长: 温若水[1].\n温若水 — 籍贯: 云州[2]."


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("云雀号的船长的籍贯是哪里？", "云雀号的船长：温若水[1]。\n温若水的籍贯：云州[2]。"),
        ("云雀号的船长是哪里人？", "云雀号的船长：温若水[1]。\n温若水的籍贯：云州[2]。"),
        ("云雀号船东的掌柜是谁", "云雀号的船东：恒顺行[1]。\n恒顺行的掌柜：周恒[2]。"),
        (
            "云雀号常运的货物多少钱？",
            "云雀号的常运货物：云州粗盐[1]、云州春茶[2]。\n云州粗盐的价格：12[3]。\n云州春茶的价格：85[4]。",
        ),
        (
            "恒顺行的船的船长都是谁？",
            "恒顺行的船只：云雀号[1]、长风号[2]。\n云雀号的船长：温若水[3]。\n长风号的船长：杜衡之[4]。",
        ),
        ("哪些船停在客运栈桥？", "客运栈桥的船只：海棠号[1]、渡月号[2]、晚潮号[3]。"),
        ("恒顺行有几条船？", "恒顺行的船只：共2个，云雀号[1]、长风号[2]。"),
    ],
)
async def test_walks(agent: Agent, question: str, told: str) -> None:
    """KNO-35 LOP-09: what was found is the next keyword, over relations in either direction to a property."""
    record = await said(agent, question)
    assert (record["answer"], record["passed"]) == (told, True)


async def test_a_walk_that_leads_nowhere(agent: Agent) -> None:
    """S003-D08: where the last step is not held, the steps before it are no answer."""
    assert (await said(agent, "云雀号的船长的别名是什么？"))["answer"] == NOT_FOUND


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("有哪些商号？", "商号共6个：恒顺行[1]、南屿合记[2]、听雨轮渡[3]、铁锚拖驳[4]、北辰商行[5]、渔家公所[6]。"),
        ("籍贯是云州的人有哪些？", "籍贯为云州的人员共4个：温若水[1]、康望舒[2]、叶知秋[3]、周恒[4]。"),
        ("有哪些三桅货船？", "船型为三桅货船的船只共3个：云雀号[1]、长风号[2]、北斗号[3]。"),
        ("谁是南屿人？", "籍贯为南屿的人员共4个：白有田[1]、姜老三[2]、水生[3]、黎合[4]。"),
        ("有哪些客船？", "船型为客船的船只共3个：海棠号[1]、渡月号[2]、晚潮号[3]。"),
    ],
)
async def test_lists(agent: Agent, question: str, told: str) -> None:
    """S001-12: a type's instances, all or those of a value, with their number, each cited."""
    record = await said(agent, question)
    assert (record["answer"], record["passed"]) == (told, True)


async def test_more_than_ten(agent: Agent) -> None:
    """S001-23: a list is not cut to the ten instances of a keyword's answer."""
    ships = await said(agent, "港口有几条船？")
    assert ships["answer"].startswith("船只共12个：云雀号[1]、") and "晚潮号[12]" in ships["answer"]
    people = await said(agent, "一共登记了多少人？")
    assert people["answer"].startswith("人员共16个：温若水[1]、") and people["answer"].count("[") == 16


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("载重超过200的船有哪些？", "载重超过200的船只共2个：长风号[1]、北斗号[2]。"),
        ("有哪些船的载重不超过22？", "载重不超过22的船只共2个：芦花号[1]、银鲛号[2]。"),
        ("1830年以前成立的商号有哪些？", "成立年份1830年以前的商号共3个：恒顺行[1]、南屿合记[2]、渔家公所[3]。"),
        ("载重超过999的船有哪些？", NOT_FOUND),
        ("身高超过180的船有哪些？", NOT_FOUND),
    ],
)
async def test_limits(agent: Agent, question: str, told: str) -> None:
    """S003-D08: a limit of a number holds for every instance that is told; what has no such number is refused."""
    assert (await said(agent, question))["answer"] == told


async def test_several_labels(agent: Agent) -> None:
    """LOP-09: who names two labels is told both."""
    assert (await said(agent, "云雀号的船长和船东是谁？"))[
        "answer"
    ] == "云雀号的船长：温若水[1]。\n云雀号的船东：恒顺行[2]。"


async def test_another_type_and_the_same_question(agent: Agent) -> None:
    """LOP-09: who names another type alone asks of it what was asked before."""
    await said(agent, "有哪些商号？", "t1")
    record = await said(agent, "那泊位呢？", "t1")
    assert record["resolved_question"] == "有哪些泊位？" and record["answer"].startswith("泊位共6个：")


async def test_a_network_too_large_to_know(agent: Agent) -> None:
    """S001-D17: where the mind does not know the instances, the tool looks at all of them, never at a part."""
    agent.services.assembly.lexicons.most_rows = 5
    record = await said(agent, "一共有多少条船？")
    assert record["answer"].startswith("船只共12个：云雀号[1]、") and record["answer"].count("[") == 12
    assert (await said(agent, "有哪些商号？"))["answer"].startswith("商号共6个：恒顺行[1]、")
    assert (await said(agent, "哪条船最大？"))["answer"] == "12个船只中，北斗号最大，载重：240[1]。"


async def test_a_label_of_each(agent: Agent) -> None:
    """LOP-09: what is asked of all instances of a type is told of each."""
    lines = (await said(agent, "所有船的船长是谁？"))["answer"].splitlines()
    assert len(lines) == 12 and lines[0] == "云雀号的船长：温若水[1]。"


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("哪条船最大？", "12个船只中，北斗号最大，载重：240[1]。"),
        ("哪艘船建得最早？", "12个船只中，长风号最早，建造年份：1838[1]。"),
        ("谁最年轻？", "16个人员中，卫小楼最年轻，出生年份：1835[1]。"),
        ("云雀号和长风号哪个更大？", "云雀号的载重：180[1]。\n长风号的载重：210[2]。\n更大的是长风号[2]。"),
        ("云雀号比白鹭号早吗？", "云雀号的建造年份：1842[1]。\n白鹭号的建造年份：1851[2]。\n更早的是云雀号[1]。"),
        ("云雀号和长风号的载重分别是多少？", "云雀号的载重：180[1]。\n长风号的载重：210[2]。"),
    ],
)
async def test_more_and_most(agent: Agent, question: str, told: str) -> None:
    """S003-D17: values are compared by the label that a word of degree speaks of, and cited."""
    record = await said(agent, question)
    assert (record["answer"], record["passed"]) == (told, True)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("云雀号和恒顺行是什么关系？", "云雀号的船东：恒顺行[1]。"),
        ("温若水和周恒有什么关系？", "云雀号的船长：温若水[1]。\n云雀号的船东：恒顺行[2]。\n恒顺行的掌柜：周恒[3]。"),
        ("雷大壮和姜老三有什么关系？", NOT_FOUND),
    ],
)
async def test_connections(agent: Agent, question: str, told: str) -> None:
    """S001-19: two instances are joined by the shortest way of at most four relations, or by none."""
    assert (await said(agent, question))["answer"] == told


async def test_follow_ups(agent: Agent) -> None:
    """LOP-09: shapes are asked on, and what they told is asked of; a question about a whole type stays as it is."""
    talk = [
        ("云雀号的船长的籍贯是哪里？", "云雀号的船长的籍贯是哪里？", "云州"),
        ("那长风号呢？", "长风号的船长的籍贯是哪里？", "雾港"),
        ("他有什么执照？", "杜衡之有什么执照？", "甲等"),
        ("哪条船最大？", "哪条船最大？", "北斗号"),
        ("它的船东的掌柜是谁？", "北斗号的船东的掌柜是谁？", "梁北辰"),
        ("有哪些船？", "有哪些船？", "船只共12个"),
        ("恒顺行的掌柜是谁？", "恒顺行的掌柜是谁？", "周恒"),
    ]
    await played(agent, talk)


async def test_the_ships_of_the_house_just_named(agent: Agent) -> None:
    """LOP-09: a list without its owner, behind a question about one, is that owner's."""
    await said(agent, "恒顺行是哪年成立的？", "t1")
    record = await said(agent, "有哪些船？", "t1")
    assert record["resolved_question"] == "关于恒顺行，有哪些船？"
    assert record["answer"] == "恒顺行的船只：云雀号[1]、长风号[2]。"
    assert (await said(agent, "一共有多少条船？", "t1"))["answer"].startswith("船只共12个")


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What is the tonnage of 云雀号?", "云雀号 — 载重: 180[1]."),
        ("Who owns 云雀号?", "云雀号 — 船东: 恒顺行[1]."),
        ("What is the birthplace of the captain of 云雀号?", CAPTAIN),
        ("Where was the captain of 云雀号 born?", CAPTAIN),
        ("How many ships are registered?", "船只: 12 in all: 云雀号[1], "),
        ("Which ship is the biggest?", "Of 12 (船只) 北斗号 is the biggest, 载重: 240[1]."),
        ("How are 温若水 and 恒顺行 related?", "云雀号 — 船长: 温若水[1].\n云雀号 — 船东: 恒顺行[2]."),
    ],
)
async def test_english_questions_over_chinese_labels(agent: Agent, question: str, told: str) -> None:
    """LOP-06: ids and comments of the schema say which label is meant; the line around it is English."""
    assert (await said(agent, question))["answer"].startswith(told)


async def test_a_name_alone(agent: Agent) -> None:
    """LOP-09: who says a name and nothing else is told what the instance is."""
    answer = (await said(agent, "云雀号"))["answer"]
    assert "船型：三桅货船" in answer and "s01" not in answer


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("有几件货物？", "货物共12个"),
        ("港口有几间商号？", "商号共6个"),
        ("有几次航次？", "航次共"),
        ("哪件货物最贵？", "云州瓷器最贵"),
        ("哪家商号成立得最早？", "渔家公所最早"),
    ],
)
async def test_every_measure_word(agent: Agent, question: str, told: str) -> None:
    """LOP-09: instances are counted by any measure word."""
    assert told in (await said(agent, question))["answer"]


async def test_the_noun_behind_a_demonstrative(agent: Agent) -> None:
    """LOP-09: it tells of which kind the one that was spoken of is."""
    await played(
        agent,
        [
            ("云雀号的船长是谁？", "云雀号的船长是谁？", "温若水"),
            ("这条船的载重是多少？", "云雀号的载重是多少？", "180"),
        ],
    )


async def test_names_of_several_types(tmp_path: Path) -> None:
    """KNO-35: where a name has several owners, those that can be compared are: of one type, not the first alone."""
    tables = {"人员": "id,name,出生年份\np1,长风,1811\n", "船只": "id,name,载重\ns1,长风,210\ns2,云雀,180\n"}
    (tmp_path / "port").mkdir()
    for name, rows in tables.items():
        (tmp_path / "port" / f"{name}.csv").write_text(rows, encoding="utf-8")
    data = tmp_path / "data"
    import_content(KnowledgeFolders(data), read_folder(tmp_path / "port", "port"), lambda done, total: None)
    async with open_agent(data_dir=data, trace_dir=tmp_path, google_api_key=None) as opened:
        asked = await opened.ask("长风和云雀哪个更大？", toolkits=["knowledge"], kn_ids=["port"])
    assert asked.text == "长风的载重：210[1]。\n云雀的载重：180[2]。\n更大的是长风[1]。"
