"""The story that the specification's own dialogues are about, as files: chapters in dialogue, and a graph file."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from wenmai.agent import Agent, open_agent
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.settings.settings import load_settings

NATLAN = "natlan"
CHAPTERS = {
    "1601/chapter1_dialogue.txt": """# 归火圣夜

## 集市
旅行者和派蒙来到了纳塔的集市，空气里飘着烤肉和香料的气味。
派蒙：旅行者，这里就是纳塔吗？好热闹啊！
玛薇卡：欢迎来到纳塔。我是玛薇卡，大家都叫我火神。
恰斯卡在集市遇见了卡齐娜，两人一见如故，约定一起参加夜巡。
卡齐娜：恰斯卡姐姐，你愿意教我骑飞鞍吗？
恰斯卡：当然愿意。明天日出的时候，你到山崖上来找我。
## 泉边
玛拉妮性格开朗，待人热情，总是第一个跳进泉水里。
玛拉妮：快下来呀，水一点也不凉！
""",
    "1601/chapter3_dialogue.txt": """# 悬崖

## 悬崖
第三天，基尼奇和阿尤接到了清理悬崖的任务。
阿尤：本大爷才不要跟你去那种地方！
基尼奇：你不去，我一个人也能完成。
基尼奇在悬崖上设下绳索，一根一根地割断了藤蔓。阿尤最后还是跟着他跳了下去，在任务中点亮了洞穴里的火把。
""",
    "1602/chapter5_dialogue.txt": """# 古名

## 试炼
旅行者在圣火前接受试炼，独自穿过了三座山谷。
玛薇卡：旅行者，你为纳塔流过血，圣火认可了你。
玛薇卡把刻着古名的石板交到旅行者手里，旅行者由此获得了自己的古名“杜麦尼”。
派蒙：太好了，旅行者也有古名了！
## 夜巡
恰斯卡和卡齐娜在夜巡中吵了一架，卡齐娜独自走进了迷雾。
恰斯卡：卡齐娜！你回来，是我说错了！
""",
    "1602/chapter8_dialogue.txt": """# 和解

## 山顶
恰斯卡在迷雾里找到了卡齐娜，两人在山顶和解，从此成为并肩作战的战友。
卡齐娜：恰斯卡姐姐，以后我们再也不分开了。
""",
    "1608/chapter16_dialogue.txt": """# 月之少女

## 月矩力
努昂诺塔是少女用自己的灵魂创造出来的月灵，她们在霜月之坊第一次相遇。
努昂诺塔：少女，你为什么要创造我？
少女：因为我想有一个人，替我看一看这个世界。
## 归来
少女献出了自己的身体，把三月的权能转交给了大地。
权能转交之后，月光重新照在霜月之坊，少女由此重回世界。
少女：我回来了，努昂诺塔。
""",
}
GRAPH: list[dict[str, Any]] = [
    {"name": "玛薇卡", "kind": "Character", "aliases": ["火神"], "description": "纳塔的领袖"},
    {"name": "阿尤", "kind": "Character", "description": "基尼奇的龙伙伴，住在他的手环里"},
    {
        "source": "恰斯卡",
        "type": "FRIEND_OF",
        "target": "卡齐娜",
        "task_id": "1601",
        "chapter": 1,
        "description": "一见如故的朋友",
        "evidence": "恰斯卡在集市遇见了卡齐娜，两人一见如故",
    },
    {"source": "基尼奇", "type": "PARTNER_OF", "target": "阿尤", "task_id": 1601, "chapter": 3, "description": "搭档"},
    {"source": "旅行者", "type": "PARTNER_OF", "target": "派蒙", "description": "同伴"},
    {
        "source": "恰斯卡",
        "type": "MEMBER_OF",
        "target": "巡林者",
        "target_kind": "Organization",
        "task_id": "1601",
        "chapter": 1,
        "description": "巡林者的一员",
    },
    {
        "source": "努昂诺塔",
        "type": "FAMILY_OF",
        "target": "少女",
        "task_id": "1608",
        "chapter": 16,
        "description": "少女用灵魂创造的月灵",
        "evidence": "努昂诺塔是少女用自己的灵魂创造出来的月灵",
    },
    {
        "event_type": "sacrifice",
        "name": "少女献出身体",
        "characters": ["少女"],
        "task_id": "1608",
        "chapter": 16,
        "summary": "少女献出身体，把三月的权能转交给大地，重回世界",
        "outcome": "重回世界",
        "evidence": "少女献出了自己的身体，把三月的权能转交给了大地",
    },
]


def write_natlan(folder: Path) -> IngestRequest:
    """Write the files of the story below a folder."""
    for name, text in CHAPTERS.items():
        path = folder / "Data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    graph = folder / "graph.jsonl"
    graph.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in GRAPH), encoding="utf-8")
    return IngestRequest(path=folder / "Data", library=NATLAN, title="原神", graph_files=(graph,))


async def make_natlan(folder: Path) -> None:
    """Put the story into the library `natlan` of the data below a folder."""
    async with opened_on_natlan(folder) as agent:
        services = agent.services
        await ingest(write_natlan(folder), stores=services.stores, embedder=services.embedder, tagger=services.reader)


@asynccontextmanager
async def opened_on_natlan(folder: Path, **settings: Any) -> AsyncIterator[Agent]:
    """Open an agent on the data below a folder."""
    known = load_settings(data_dir=folder / "data", trace_dir=folder / "traces", **settings)
    async with open_agent(known) as agent:
        yield agent
