"""Faults that were seen on the sample story: c18 c21 c22."""

from tests.public_faults.running import Case, Step

REFUSED = ("未能找到", "no relevant information")
ROWS = (
    ("c18", "row-compass", "銅羅盤的蓋子裡刻著哪幾個字？", ("雾散即归",)),
    ("c18", "row-rescue", "石敢是怎麼救下孟鳶的？", ("石敢看了一眼桅杆",)),
    ("c18", "row-age", "陸聽雪今年多大？", ("二十二",)),
    ("c18", "person", "宋硯是誰？", ("宋砚",)),
    ("c18", "mixed", "陆聽雪是誰？", ("陆听雪",)),
    ("c18", "lighthouse", "白鴉燈塔的守塔人是誰？", ("顾长庚",)),
    ("c21", "row-hero", "这本书的主人公是谁？", ("陆听雪",)),
    ("c21", "row-story", "这个故事讲了什么？", ("[1]",)),
    ("c21", "row-count", "书里一共有多少章？", ("17",)),
    ("c21", "row-abilities", "你都知道些什么？", ("雾港纪事",)),
    ("c21", "english-count", "How many chapters are there?", ("17",)),
    ("c21", "people", "书里有哪些主要人物？", ("陆听雪", "沈观潮")),
    ("c21", "colloquial", "这本小说的主角叫啥？", ("陆听雪",)),
    ("c21", "last-title", "最后一章叫什么？", ("第九章 灯明",)),
)
TALK = Step(
    "chat --library sample", ("雾散即归", "[1]"), REFUSED, stdin="铜罗盘的盖子里刻着哪几个字？\n我没读懂，再说一遍\n"
)
LIST = "entities list {} --library sample --as-of-chapter {}"
ON_SAMPLE = (
    *(
        Case(fault, name, {}, (Step(f"ask '{question}' --library sample", has, REFUSED),))
        for fault, name, question, has in ROWS
    ),
    Case("c21", "row-again", {}, (TALK,)),
    Case("c22", "row", {}, (Step(LIST.format("阿苇", "6 --as-of-part 2"), ("阿苇",), ("顾小满", "小满")),)),
    Case("c22", "revealed", {}, (Step(LIST.format("阿苇", "7 --as-of-part 2"), ("顾小满",)),)),
    Case(
        "c22", "later-person", {}, (Step(LIST.format("", "1").replace("  ", " "), ("陆听雪",), ("罗铁鹰", "钟离素")),)
    ),
    Case(
        "c22", "question", {}, (Step("ask '阿苇的真名是什么？' --library sample --as-of-chapter 3", (), ("顾小满",)),)
    ),
)
