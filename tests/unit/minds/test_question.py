"""What a question asks for, and which chapter it means."""

import pytest

from tools.records import Name
from tools.story.linking import NameTable
from wenmai.minds.offline.questions.question import understood

TABLE = NameTable.build(
    [
        Name(text="林小满", entity="林小满", kind="Character", mentions=20),
        Name(text="老周", entity="老周", kind="Character", mentions=9),
        Name(text="十三", entity="十三", kind="Character", mentions=8),
        Name(text="Hannay", entity="Hannay", kind="Character", mentions=8),
        Name(text="Title", entity="Title", kind="Character", mentions=1),
        Name(text="灰岩庄", entity="灰岩庄", kind="Location", mentions=5),
    ]
)
KINDS = {
    "abilities": [
        "你能做什么？",
        "你会回答哪些问题",
        "我可以问你什么？",
        "怎么用？",
        "What can you do?",
        "What can I ask?",
    ],
    "again": ["请再说一遍", "换个说法", "能不能换一种方式说？", "Again, please.", "Could you rephrase that?"],
    "asked": ["我一共问了几个问题？", "我刚才问了什么", "我上一个问题是什么？", "What did I ask?", "List my questions"],
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
    "fact": [
        "这句话是谁说的？",
        "那条河叫什么？",
        "村里有多少人？",
        "第三章里那封信是写给谁的？",
        "林小满第三章讲了什么话？",
        "林小满最喜欢的书讲了什么？",
        "What happens to the dog in the end?",
        "What is the name of the ship?",
        "曹冲称象是在第几回？",
        "第八十一回中，那两个部将叫什么名字？",
        "那部医书有多少字？",
        "她留下的遗书里写了什么？",
        "What is the dog in chapter 3 called?",
    ],
}


@pytest.mark.parametrize(("text", "kind"), [(text, kind) for kind, texts in KINDS.items() for text in texts])
def test_kinds(text: str, kind: str) -> None:
    assert understood(text, TABLE).kind == kind


@pytest.mark.parametrize("text", ["林小满的主要人物是谁？", "老周讲了什么？", "What is Hannay about in chapter 3?"])
def test_a_name_blocks_what_asks_about_the_book(text: str) -> None:
    assert understood(text, TABLE).kind not in ("characters", "chapter", "book", "narrator", "chapters")


@pytest.mark.parametrize(
    ("text", "chapters", "section"),
    [
        ("第十三章讲了什么？", (13, 13), None),
        ("第3到5章讲了什么？", (3, 5), None),
        ("What happens in chapters 2-4?", (2, 4), None),
        ("What happens in chapter twenty-two?", (22, 22), None),
        ("What happens in chapter XIV?", (14, 14), None),
        ("What happens in the second chapter?", (2, 2), None),
        ("最后一章讲了什么？", None, -1),
        ("倒数第二章讲了什么？", None, -2),
        ("What happens in the last chapter?", None, -1),
        ("番外二讲了什么？", None, "番外二"),
        ("What happens in the epilogue?", None, "epilogue"),
        ("打了第三回合", None, None),
    ],
)
def test_which_chapter_is_meant(text: str, chapters: tuple[int, int] | None, section: int | str | None) -> None:
    question = understood(text, TABLE)
    assert (question.chapters, question.section) == (chapters, section)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("第二部第三章讲了什么？", 2),
        ("第三卷第一章叫什么？", 3),
        ("What happens in part two, chapter three?", 2),
        ("第三章讲了什么？", None),
        ("第二部门是谁管的？", None),
    ],
)
def test_which_part_is_meant(text: str, part: int | None) -> None:
    assert understood(text, TABLE).part == part


def test_a_name_inside_the_number_of_a_chapter_is_none() -> None:
    """十三 is a person, 第十三章 is a chapter."""
    assert understood("第十三章讲了什么？", TABLE).entities == ()
    assert understood("十三在第十三章做了什么？", TABLE).entities == ("十三",)
