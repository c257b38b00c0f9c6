"""Refusals, questions back and words about the assistant: what such a draft states besides is checked."""

import pytest

from nodes.drafts import is_about_assistant, read_draft
from nodes.prompts.grading import REFINER
from tests.checked_drafts import Checked, check
from tests.graph.rig import Rig, ScriptedPlanner, ScriptedTool, found, piece, says, search
from tools.records import Name
from tools.story.names import NameTable

DOCK = "韩渡抱着桶，跳进了河里。柳三娘管账，柳四娘管船。罗大年的母亲病了。"
MILL = "Nora Vale kept the mill for nine years. The left gate was shut by Ada Moss."

NOBODY = NameTable.build(())


def checked(draft: str, question: str, text: str = DOCK, table: NameTable = NOBODY) -> Checked:
    """Check a draft by its words alone."""
    return check(draft, question, [piece(text)], table)


@pytest.mark.parametrize(
    ("question", "draft", "text"),
    [
        ("福尔摩斯怎么查案？", "资料中没有福尔摩斯这个人物，因此无法回答。", DOCK),
        ("福尔摩斯怎么查案？", "书中没有出现福尔摩斯。", DOCK),
        ("福尔摩斯怎么查案？", "福尔摩斯没有在书中出现。", DOCK),
        ("福尔摩斯怎么查案？", "福尔摩斯不是这本书里的人物，所以无法回答他怎么查案。", DOCK),
        ("贾宝玉为什么离开？", "《渡口》里没有贾宝玉这个人，所以无法回答他为什么离开。", DOCK),
        ("How did Holmes solve it?", "There is no Holmes in this book.", MILL),
        ("How did Sherlock Holmes solve it?", "Sherlock Holmes does not appear in the story.", MILL),
    ],
)
def test_a_refusal_may_name_whom_nothing_knows(question: str, draft: str, text: str) -> None:
    """LOP-14: what the question asks about and no piece has."""
    result = checked(draft, question, text)
    assert (result.text, result.is_refusal, result.notes) == (draft, True, [])


@pytest.mark.parametrize(
    ("question", "draft"),
    [
        ("韩渡有弟弟吗？", "书里没有韩渡，他抱着箱子逃到了对岸的山里。"),
        ("柳三娘是谁？", "书里没有柳三娘这个人。"),
    ],
)
def test_who_is_there_or_what_is_said_besides_is_no_refusal(question: str, draft: str) -> None:
    """LOP-14: a name that the evidence has, a claim beside the refusal."""
    result = checked(draft, question)
    assert not result.is_refusal
    assert result.notes


def test_what_is_invented_behind_a_refusal_goes_alone() -> None:
    """LOP-14: the refusal is what is left."""
    result = checked("书中没有贾宝玉，贾宝玉是另一本小说的主角，娶了薛宝钗为妻。", "贾宝玉为什么离开？")
    assert (result.text, result.is_refusal) == ("书中没有贾宝玉。", True)
    assert [note["action"] for note in result.notes] == ["dropped"]


async def test_a_refusal_that_names_the_unknown_one_reaches_the_user() -> None:
    """S000-34: after two searches it passes as one."""
    draft = "书中没有出现福尔摩斯。"
    rig = Rig(
        planner=ScriptedPlanner([search("福尔摩斯"), search("侦探"), says(draft)]),
        tools=[ScriptedTool("search", [found(piece(DOCK))])],
    )
    result = await rig.ask("福尔摩斯怎么查案？", max_attempts=1)
    assert (result["answer"], result["status"]) == (draft, "not_found")


@pytest.mark.parametrize(
    ("question", "draft", "text"),
    [
        ("他是谁？", "您问的是柳三娘还是柳四娘？", DOCK),
        ("他们俩是什么关系？", "请问您说的“他们俩”是指哪两个人？", DOCK),
        ("他怎么了？", "请问您想了解书里的哪一位人物的经历？", DOCK),
        ("他怎么了？", "您能说得更具体一些吗？", DOCK),
        ("What did she do?", "Which of the two do you mean, Nora Vale or Ada Moss?", MILL),
    ],
)
def test_a_question_back_stays(question: str, draft: str, text: str) -> None:
    """LOP-15: one that only asks."""
    assert read_draft(draft, question, [])["status"] == "clarify"
    assert (checked(draft, question, text).text, checked(draft, question, text).notes) == (draft, [])


@pytest.mark.parametrize(
    ("draft", "text"),
    [
        ("您是想问罗大年那位在石榴城开绸缎庄的姐姐李秀兰吗？", DOCK),
        ("您问的是那位后来当上水师提督的韩渡吗[E1]？", DOCK),
        ("Do you mean the Nora Vale who poisoned her uncle and stole the crown?", MILL),
    ],
)
async def test_what_a_question_back_takes_for_granted_is_checked(draft: str, text: str) -> None:
    """LOP-15: its claims are checked like any others, and where nothing is left nobody is asked."""
    rig = Rig(
        planner=ScriptedPlanner([search("a"), search("b"), says(draft)]),
        tools=[ScriptedTool("search", [found(piece(text))])],
    )
    result = await rig.ask("他是谁？", max_attempts=1)
    assert [note["action"] for note in result["notes"]] in (["dropped"], ["flagged"])
    assert result["status"] != "clarify" or result["answer"].startswith(draft)


@pytest.mark.parametrize(
    ("question", "is_so"),
    [
        ("你好，你能做什么？", True),
        ("您好！请问你是谁？", True),
        ("请介绍一下你自己", True),
        ("Hi, who are you?", True),
        ("你好，韩渡是谁？", False),
        ("介绍一下韩渡", False),
        ("Hello, who is Ada?", False),
    ],
)
def test_a_greeting_before_the_question_changes_nothing(question: str, is_so: bool) -> None:
    """LOP-15: what the assistant says of itself needs no evidence."""
    assert is_about_assistant(question) is is_so
    assert (read_draft("你好！我可以根据书里的内容回答你的问题。", question, [])["status"] == "chat") is is_so


def test_the_refiner_is_shown_no_book() -> None:
    """S003-20: the example of its prompt is of nobody."""
    assert "努昂诺塔" not in REFINER["zh"]


@pytest.mark.parametrize(
    ("draft", "actions"),
    [
        ("柳三娘把罗盘扔进了河里[E99]。", ["flagged"]),
        ("柳四娘抱着桶，跳进了河里[E99]。", ["flagged"]),
        ("韩渡抱着桶，跳进了河里[E99]。", ["moved"]),
    ],
)
def test_an_invented_mark_becomes_true_only_where_the_piece_says_it(draft: str, actions: list[str]) -> None:
    """LOP-14: words of several sentences, or of another person, are no ground."""
    names = NameTable.build([Name(text=one, entity=one, kind="Character") for one in ("韩渡", "柳三娘", "柳四娘")])
    result = checked(draft, "后来呢？", table=names)
    assert [note["action"] for note in result.notes] == actions
    assert ("[E1]" in result.text) is (actions == ["moved"])
