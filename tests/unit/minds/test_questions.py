"""What a question asks for: told by the calls that the offline mind makes for it."""

from typing import Any

import pytest

from tests.unit.minds.rooms import Call, calls_of
from tests.unit.tools.world import World
from tools.records import Entity

CHASCA, KACHINA = "恰斯卡", "卡齐娜"
HOUSE = World(
    rows=[],
    entities=[
        *(Entity(name=name, mentions=8) for name in ("林小满", "老周", "十三", "Hannay", "Title")),
        Entity(name="灰岩庄", kind="Location"),
    ],
    relations=[],
    events=[],
)
OF_THE_BOOK = {"read_chapters", "list_characters", "read_passage"}
SHAPES: dict[str, list[list[str]]] = {
    "characters": [["list_characters"]],
    "chapters": [["read_chapters"]],
    "title": [["read_chapters chapters titles_only"]],
    "chapter": [["read_chapters chapters sentences"], ["read_chapters sentences title"]],
    "book": [["read_chapters chapters sentences", "list_characters top_k"]],
    "recap": [["read_chapters chapters sentences", "list_characters top_k"]],
    "order": [["read_chapters chapters sentences"]],
    "open": [["read_chapters chapters sentences"]],
    "narrator": [["read_chapters chapters sentences", "search_memory query"]],
    "first": [["list_characters names"]],
    "last": [["read_passage count names which"]],
    "met": [
        [
            "read_passage count names",
            "search_memory characters query",
            "search_memory query",
            "find_connection entity1 entity2",
        ]
    ],
}
"""The calls for what is asked of a book, with the names of their arguments."""
KINDS = {
    "characters": [
        "主要人物有谁？",
        "主角是谁？",
        "谁是这本书的主角？",
        "书里都有哪些人物？",
        "故事里一共有多少人？",
        "Who are the main characters?",
        "Who is the protagonist?",
        "Which characters appear in the book?",
    ],
    "chapters": [
        "全书共几章？",
        "这本书一共有多少回",
        "正文分为几章？",
        "目录",
        "列出章节标题",
        "How many chapters are there?",
        "List all chapters",
    ],
    "title": [
        "第一章叫什么名字？",
        "第十三章的标题是什么？",
        "最后一章叫什么？",
        "What is the title of chapter 3?",
        "What is the last chapter called?",
    ],
    "chapter": [
        "第一章讲了什么？",
        "第十三章讲了什么？",
        "第3到5章主要内容是什么",
        "最后一章讲了什么？",
        "尾声写了什么？",
        "番外一讲了些什么？",
        "第二回发生了什么事？",
        "概括一下楔子",
        "What happens in chapter eight?",
        "What is chapter IV about?",
        "Summarize the third chapter",
        "What happens in the epilogue?",
    ],
    "book": [
        "这本书讲了什么？",
        "这个故事主要讲的是什么",
        "总结一下全书",
        "全书的主要内容是什么？",
        "《灰岩庄》讲了什么？",
        "What is the book about?",
        "What's this story about?",
        "Summarize the novel.",
        "What is the plot?",
    ],
    "narrator": [
        "谁在讲这个故事？",
        "这个故事是谁讲的？",
        "叙述者是谁？",
        "这本书用的是第几人称？",
        "Who tells the story?",
        "Who is the narrator?",
    ],
    "first": [
        "林小满第一次出现在哪一章？",
        "老周最早在第几章出场？",
        "哪一章出现了老周？",
        "Where does Hannay first appear?",
        "In which chapter is Hannay introduced?",
    ],
    "recap": [
        "前情提要",
        "我读到第五章，前面讲了什么？",
        "到目前为止发生了什么？",
        "回顾一下前面的剧情",
        "到第三章为止讲了什么？",
        "Recap the story so far",
        "What has happened so far?",
        "Catch me up, please",
        "What happened up to chapter 5?",
    ],
    "order": [
        "书中主要事件的先后顺序是怎样的？",
        "按时间顺序说说发生了什么事",
        "In what order do the main events happen?",
        "Give me a timeline of the book",
    ],
    "open": [
        "还有哪些悬念没有解开？",
        "书里留下了哪些疑问？",
        "What was left open?",
        "Are there any loose ends?",
        "Which questions remain unanswered?",
        "What remains open?",
    ],
    "last": [
        "老周最后一次出现是在哪里？",
        "林小满最后在哪一章出现？",
        "When was Hannay last seen?",
        "Where does Hannay last appear?",
    ],
    "met": [
        "林小满和老周是怎么认识的？",
        "老周和林小满第一次见面是在哪里？",
        "How did Hannay and 老周 meet?",
        "When did Hannay first meet 林小满?",
    ],
}
FACTS = [
    "这句话是谁说的？",
    "那条河叫什么？",
    "村里有多少人？",
    "第三章里那封信是写给谁的？",
    "林小满第三章讲了什么话？",
    "林小满最喜欢的书讲了什么？",
    "林小满的主要人物是谁？",
    "老周讲了什么？",
    "What is Hannay about in chapter 3?",
    "What happens to the dog in the end?",
    "What is the name of the ship?",
    "曹冲称象是在第几回？",
    "第八十一回中，那两个部将叫什么名字？",
    "那部医书有多少字？",
    "她留下的遗书里写了什么？",
    "What is the dog in chapter 3 called?",
    "打了第三回合",
    "第二部门是谁管的？",
    "Which door is open?",
    "倒数第零章讲了什么？",
]


@pytest.mark.parametrize("kind", KINDS)
async def test_what_is_asked_of_a_book(kind: str) -> None:
    for text in KINDS[kind]:
        made = [" ".join([name, *sorted(args)]) for name, args in await calls_of(text, HOUSE)]
        assert made in SHAPES[kind], text


async def test_what_is_asked_of_anything_else() -> None:
    """A name blocks what asks about the book."""
    for text in FACTS:
        called = await calls_of(text, HOUSE)
        assert "search_memory" in {name for name, _ in called}, text
        assert not [name for name, args in called if name in OF_THE_BOOK and "names" not in args], text


@pytest.mark.parametrize(
    ("text", "chapters"),
    [
        ("全书有几章？", {}),
        ("第十三章讲了什么？", {"chapters": [13, 13]}),
        ("第3到5章讲了什么？", {"chapters": [3, 5]}),
        ("第三章到第五章讲了什么？", {"chapters": [3, 5]}),
        ("What happens in chapters 2-4?", {"chapters": [2, 4]}),
        ("What happens in chapter twenty-two?", {"chapters": [22, 22]}),
        ("What happens in chapter XIV?", {"chapters": [14, 14]}),
        ("What happens in the second chapter?", {"chapters": [2, 2]}),
        ("最后一章讲了什么？", {"chapters": [-1, -1]}),
        ("倒数第二章讲了什么？", {"chapters": [-2, -2]}),
        ("What happens in the last chapter?", {"chapters": [-1, -1]}),
        ("番外二讲了什么？", {"title": "番外二"}),
        ("What happens in the epilogue?", {"title": "epilogue"}),
        ("第二部第三章讲了什么？", {"chapters": [3, 3], "part": 2}),
        ("第二部有几章？", {"part": 2}),
        ("What happens in part two, chapter three?", {"chapters": [3, 3], "part": 2}),
        ("第三卷第一章叫什么？", {"chapters": [1, 1], "part": 3, "titles_only": True}),
        ("第250章叫什么？", {"chapters": [250, 250], "titles_only": True}),
        ("最后一章叫什么？", {"chapters": [-13, -1], "titles_only": True}),
    ],
)
async def test_which_chapter_is_meant(text: str, chapters: dict[str, object]) -> None:
    ((tool, args),) = await calls_of(text, HOUSE)
    assert (tool, {name: value for name, value in args.items() if name != "sentences"}) == ("read_chapters", chapters)


async def test_a_name_inside_the_number_of_a_chapter_is_none() -> None:
    """十三 is a person, 第十三章 is a chapter."""
    assert ("get_character_events", {"entity": "十三"}) not in await calls_of("第十三章发生了什么事？", HOUSE)
    assert any(args.get("entity") == "十三" for _, args in await calls_of("十三在第十三章做了什么？", HOUSE))


async def test_a_book_is_read_alike_in_both_toolkits_and_only_with_a_story() -> None:
    assert await calls_of("全书共几章？", toolkits=["story"]) == [("read_chapters", {})]
    assert (await calls_of("谁在讲这个故事？", toolkits=["story"]))[1][0] == "vector_search"
    for text in ("谁在讲这个故事？", "卡齐娜是谁？"):
        called = await calls_of(text, toolkits=["documents", "memory"])
        assert {name for name, _ in called} <= {"semantic_search", "keyword_search", "recall_memories"}


async def graph_of(text: str, toolkit: str) -> list[Call]:
    called = await calls_of(text, toolkits=[toolkit])
    return [call for call in called if call[0] not in ("search_memory", "vector_search")]


@pytest.mark.parametrize(
    ("toolkit", "text", "calls"),
    [
        ("narrative", "卡齐娜的古名怎么来的？", [("get_character_events", {"entity": KACHINA})]),
        ("narrative", "卡齐娜的古名是什么？", [("lookup_knowledge", {"entity": KACHINA})]),
        ("narrative", "卡齐娜是如何获得古名的？", [("get_character_events", {"entity": KACHINA})]),
        (
            "narrative",
            "卡齐娜是如何发展的？",
            [("track_journey", {"entity": KACHINA}), ("get_character_events", {"entity": KACHINA})],
        ),
        (
            "narrative",
            "恰斯卡和卡齐娜是什么关系？",
            [("find_connection", {"entity1": CHASCA, "entity2": KACHINA})],
        ),
        (
            "narrative",
            "恰斯卡在哪里安慰了卡齐娜？",
            [("find_connection", {"entity1": CHASCA, "entity2": KACHINA})],
        ),
        (
            "narrative",
            "卡齐娜经历了什么？",
            [("track_journey", {"entity": KACHINA}), ("get_character_events", {"entity": KACHINA})],
        ),
        (
            "narrative",
            "Kachina是谁？",
            [("lookup_knowledge", {"entity": KACHINA}), ("list_characters", {"names": [KACHINA]})],
        ),
        ("narrative", "谁点燃了圣火？", []),
        ("story", "卡齐娜的古名怎么来的？", [("track_entity", {"entity": KACHINA})]),
        ("story", "卡齐娜的古名是什么？", [("graph_search", {"entity": KACHINA})]),
        ("story", "卡齐娜经历了什么？", [("track_entity", {"entity": KACHINA})]),
        ("story", "第2到3章里卡齐娜经历了什么？", [("track_entity", {"entity": KACHINA, "chapter_range": [2, 3]})]),
        (
            "story",
            "恰斯卡和卡齐娜的关系如何演变？",
            [("graph_search", {"entity": CHASCA}), ("track_entity", {"entity": CHASCA})],
        ),
        (
            "story",
            "卡齐娜是谁？",
            [("graph_search", {"entity": KACHINA}), ("list_characters", {"names": [KACHINA]})],
        ),
        ("story", "谁点燃了圣火？", []),
    ],
)
async def test_the_graph_is_asked_by_what_is_asked(toolkit: str, text: str, calls: list[Call]) -> None:
    assert await graph_of(text, toolkit) == calls


async def searches(text: str, toolkit: str = "narrative") -> list[dict[str, Any]]:
    called = await calls_of(text, toolkits=[toolkit])
    return [args for name, args in called if name in ("search_memory", "vector_search")]


async def test_the_text_is_searched_in_several_wordings_and_among_passages_about_the_one_who_is_asked() -> None:
    question = "卡齐娜在哪里点燃了圣火？"
    first, about, worded, *_ = await searches(question)

    assert (first, about) == ({"query": question}, {"query": question, "characters": [KACHINA]})
    assert worded["query"].startswith("卡齐娜 Kachina") and "圣火" in worded["query"]


async def test_no_search_is_made_twice() -> None:
    for text in ("卡齐娜的古名怎么来的？", "卡齐娜？", "圣火", "“铃响了没有？”是谁问的？"):
        for toolkit in ("narrative", "story"):
            asked = await searches(text, toolkit)
            assert [one for one in asked if asked.count(one) > 1] == []


async def test_a_history_is_searched_in_the_order_of_the_story_too() -> None:
    assert any(args.get("sort_by") == "time" for args in await searches("卡齐娜经历了什么？"))
    assert not any("sort_by" in args for args in await searches("卡齐娜的古名怎么来的？"))


async def test_the_chapters_of_a_question_bound_the_searches_for_it() -> None:
    bound = [args.get("chapter_filter") for args in await searches("第3章里卡齐娜做了什么？", "story")]

    assert bound[:2] == [[3, 3], [3, 3]] and bound[-1] is None


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("“铃响了没有？”这句话是谁问的？", ["铃响了没有？"]),
        ('Who says "It was a dark night"?', ["It was a dark night"]),
        ("“……！！”和“铃响了没有”是什么意思？", ["铃响了没有"]),
        ("“太太”是什么意思？", []),
        ("“……！！”是什么意思？", []),
        ("点燃圣火、比赛落败，哪个在先？", ["点燃圣火", "比赛落败"]),
        ("点燃圣火、比赛落败、获得古名的先后顺序是什么？", ["点燃圣火", "比赛落败", "获得古名"]),
        ("Which came first: the fire or the fall?", ["the fire", "the fall"]),
        ("先发生的是婚礼还是葬礼？", ["婚礼", "葬礼"]),
        ("哪件事先发生：婚礼还是葬礼？", ["婚礼", "葬礼"]),
        ("婚礼在葬礼之前还是之后？", ["婚礼", "葬礼"]),
        ("是婚礼在先，还是葬礼在先？", ["婚礼", "葬礼"]),
        ("婚礼早还是葬礼早？", ["婚礼", "葬礼"]),
        ("先喝酒还是先吃饭？", ["喝酒", "吃饭"]),
        ("请按时间顺序排列：婚礼、葬礼、火灾", ["婚礼", "葬礼", "火灾"]),
        ("Did the wedding happen before or after the funeral?", ["the wedding", "the funeral"]),
        ("Which happened earlier, the wedding or the funeral?", ["the wedding", "the funeral"]),
        ("点燃圣火、比赛落败的先后？", ["点燃圣火", "比赛落败"]),
        ("先生教的是语文，还是数学？", []),
        ("他在城门之前还是之后等人？", []),
        ("她什么时候点燃圣火？", []),
        ("林小满、老周和十三先后投奔了谁？", []),
        ("谁先后点燃了圣火、火把和灯？", []),
        ("这些事的先后顺序是什么？", []),
    ],
)
async def test_quoted_words_and_events_in_order_are_looked_for_by_themselves(question: str, words: list[str]) -> None:
    queries = [args["query"] for name, args in await calls_of(question, HOUSE) if name == "search_memory"]
    assert queries[: len(words) + 1] == [*words, question][: len(queries)]


async def test_memories_are_asked_where_a_question_leans_on_earlier_talk_or_nothing_else_is_there() -> None:
    leaning, plain, kits = "上次我说喜欢谁？", "谁点燃了圣火？", ["narrative", "memory"]

    assert (await calls_of(leaning, toolkits=kits))[0] == ("recall_memories", {"query": leaning})
    assert await calls_of(plain, toolkits=["memory"]) == [("recall_memories", {"query": plain})]
    for called in (await calls_of(plain, toolkits=kits), await calls_of(leaning)):
        assert "recall_memories" not in {name for name, _ in called}


@pytest.mark.parametrize(("toolkit", "tool"), [("narrative", "search_memory"), ("story", "vector_search")])
async def test_the_words_of_a_refiner_are_searched_in_the_story(toolkit: str, tool: str) -> None:
    assert (await calls_of("谁？", toolkits=[toolkit], queries=["权能"]))[0] == (tool, {"query": "权能"})


@pytest.mark.parametrize(
    ("question", "is_list"),
    [
        ("有哪些文档？", True),
        ("我上传了几个文件", True),
        ("列出所有文件", True),
        ("可以用哪些文件？", True),
        ("哪些文件提到了年假？", False),
        ("文件里年假有几天？", False),
        ("换货需要什么材料？", False),
        ("报名要提交哪些材料？", False),
        ("外壳是什么材料？", False),
        ("入职要准备哪些文件？", False),
        ("Which documents are available?", True),
        ("List my files", True),
        ("Which documents mention returns?", False),
        ("Which files did I upload?", True),
        ("What documents do I need to apply?", False),
        ("Which documents are the founding ones?", False),
    ],
)
async def test_what_asks_for_the_list_of_documents(question: str, is_list: bool) -> None:
    """DOC-08: a question about content is none, whatever it says of files and what something needs."""
    called = await calls_of(question, toolkits=["documents"], library="")
    assert (called == [("list_documents", {})]) is is_list


async def test_what_is_quoted_and_codes_are_looked_for_literally() -> None:
    """DOC-08: quoted phrases, codes and long numbers."""
    question = "“双倍工资”和编号 FIN-2071、v2.3.1 还有 20,000 元是什么意思"
    first, *_ = await calls_of(question, toolkits=["documents"], library="")
    assert first == ("keyword_search", {"keywords": '"双倍工资" "FIN-2071" "v2.3.1" "20,000"'})
