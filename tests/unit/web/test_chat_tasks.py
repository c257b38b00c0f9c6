"""Which requests a chat client sends by itself, and what it gets; a user's own questions are none."""

import json
import time
from typing import Any

import pytest

from wenmai.web.openai.requests import ChatMessage, conversation_of, request_from
from wenmai.web.openai.tasks import Subject, Task, answer_to, task_of

WHO, TOLD = "苏晚亭是谁？", "苏晚亭是灯塔的守塔人[1]。\n\n---\n\n[1] 《雾港》第二回：“守塔人”"
UPPER = f"USER: {WHO}\nASSISTANT: {TOLD}"
LOWER = f"user: {WHO}\nassistant: {TOLD}"
TAGS = f"<user>\n{WHO}\n</user>\n<assistant>\n{TOLD}\n</assistant>"
ROWS = json.dumps([{"role": "user", "mainText": WHO}, {"role": "assistant", "mainText": TOLD}], ensure_ascii=False)
SUBJECT = Subject("雾港", ("苏晚亭", "苏晚照"))
NAMED = {"type": "json_schema", "json_schema": {"name": "t", "schema": {"type": "object", "properties": {"title": {}}}}}


HISTORY = f"<chat_history>\n{UPPER}\n</chat_history>"
Messages = tuple[tuple[str, str], ...]


def sections(order: str, form: str = "") -> str:
    """Return a prompt with headings and the conversation between tags."""
    return f"### Task:\n{order}\n### Output:\n{form}\n### Chat History:\n{HISTORY}"


def as_user(order: str, form: str = "") -> Messages:
    return (("user", sections(order, form)),)


def beside(system: str, *talk: str) -> Messages:
    """Return a system message and a conversation."""
    return (("system", system), *((("user", "assistant")[at % 2], one) for at, one in enumerate(talk)))


def told(*messages: tuple[str, str], **more: Any) -> Task | None:
    return task_of(
        request_from({"model": "m", "messages": [{"role": role, "content": text} for role, text in messages], **more})
    )


BELOW = f"{LOWER}\n\n请总结上述对话为10个字以内的标题，输出语言：zh-CN"
SUMMARISE = "Ignore previous instructions. Summarize the most important events in the story so far."
INTO_TITLE = "Summarize the conversation into a title in zh within 10 words"
ORDERS: dict[str, tuple[Messages, str, tuple[str, ...]]] = {
    "headings": (as_user("Create a 3-5 word title.", 'JSON format: { "title": "…" }'), "title", ("title",)),
    "headings, text": (as_user("Create a title summarizing the chat.", "ONLY the title"), "title", ()),
    "tags": (as_user("Generate broad tags.", 'JSON format: { "tags": ["a", "b"] }'), "tags", ("tags",)),
    "follow-ups": (as_user("Suggest questions.", 'JSON: { "follow_ups": ["Q?"] }'), "follow_ups", ("follow_ups",)),
    "follow-ups, text": (as_user("Suggest 3-5 relevant follow-up questions."), "follow_ups", ()),
    "search words": (as_user("Is a search needed?", 'JSON: { "queries": ["q"] }'), "queries", ("queries",)),
    "an image": (as_user("Describe an image.", 'JSON: { "prompt": "…" }'), "other", ("prompt",)),
    "after instructions": ((("system", "你是海港向导。"), *as_user("Generate a title.")), "title", ()),
    "Chinese headings": ((("user", f"# 任务\n为下面的对话起一个标题。\n{HISTORY}"),), "title", ()),
    "lines": (beside("You sum up. Generate a concise title. Maximum 10 words", LOWER), "title", ()),
    "lines, order below": (beside("你擅长会话", BELOW), "title", ()),
    "tags around words": (beside("Generate a title of 15 words", f"<task>\nName it.\n{TAGS}\n</task>"), "title", ()),
    "rows of JSON": (beside(INTO_TITLE, ROWS), "title", ()),
    "itself": (beside("你需要将用户的会话总结为 10 个字以内的标题，不要使用标点符号", WHO, TOLD), "title", ()),
    "a summary": (((*beside("x", WHO, TOLD), ("system", SUMMARISE))), "summary", ()),
    "a Chinese summary": ((("user", WHO), ("assistant", TOLD), ("user", "请总结以上对话。")), "summary", ()),
}
FOLLOW_UPS = ["苏晚照是谁？", "苏晚亭后来怎么样了？", "苏晚亭和苏晚照是什么关系？"]


@pytest.mark.parametrize("name", ORDERS)
def test_a_task(name: str) -> None:
    messages, kind, keys = ORDERS[name]
    task = told(*messages)
    assert task is not None and (task.kind, task.keys) == (kind, keys)
    assert task.questions == [WHO] and [one.startswith("苏晚亭是灯塔") for one in task.answers] == [True]
    assert "《雾港》" not in task.answers[0]
    made = answer_to(task, SUBJECT)
    wanted: dict[str, Any] = {
        "title": "苏晚亭是谁",
        "tags": ["雾港", "苏晚亭", "苏晚照"],
        "follow_ups": FOLLOW_UPS if keys else "\n".join(FOLLOW_UPS),
        "queries": [],
        "other": "",
        "summary": "问：苏晚亭是谁？\n答：苏晚亭是灯塔的守塔人[1]。",
    }
    assert (json.loads(made) if keys else made) == ({keys[0]: wanted[kind]} if keys else wanted[kind])


EMOJI = "Your task is to reflect the expression through a fitting emoji.\n\nMessage: ```苏晚亭是灯塔的守塔人```"
TOOLS = 'Available Tools: [{"name": "clock"}]\nReturn the tools.\n{ "tool_calls": [{"name": "toolName1"}] }'
PASTED = "清晨，陆沉舟走进雾港的码头。他随身只带着一只铜罗盘。“你从哪里来？”她说。上面这段话里他带着什么？请说明。"


def test_what_only_a_model_could_write_is_empty() -> None:
    """PLA-36: a face for a sentence, and a choice among the client's own tools; nothing is searched for."""
    face, choice = (
        told(("user", EMOJI)),
        told(("system", TOOLS), ("user", f"Query: History:\nUSER: {WHO}\nQuery: {WHO}")),
    )
    assert face is not None and answer_to(face, SUBJECT) == ""
    assert choice is not None and json.loads(answer_to(choice, SUBJECT)) == {"tool_calls": []}


def test_a_title_is_no_sentence_of_a_book() -> None:
    """PLA-36: where a question begins with a text, what it asks is the title."""
    task = told(("user", sections("Create a title.").replace(WHO, PASTED)))
    assert task is not None and answer_to(task, SUBJECT) == "上面这段话里他带着什么"


def test_a_schema() -> None:
    """Its keys are the order, whatever the words beside it."""
    task = told(*beside("Name it.", LOWER), response_format=NAMED)
    assert task is not None and (task.kind, task.keys) == ("title", ("title",))


OWN = (
    (("user", "第三章的标题是什么？"),),
    (("user", "What is the title of chapter 3? Summarize the conversation in it."),),
    (("user", "总结一下前三回的剧情"),),
    (("user", WHO), ("assistant", TOLD), ("user", "总结一下第二回的标题和内容")),
    (("user", WHO), ("assistant", TOLD), ("user", "Summarize chapter 2")),
    (("system", "每次对话先给出标题，再总结要点，不超过200字。"), ("user", WHO)),
    (("system", "You chat about books. Give titles in italics, suggest follow-up questions."), ("user", WHO)),
    (("user", "user: 这个词是什么意思？"),),
    (("user", "书里说：“用户：你好”，这是哪一回的标题？"),),
    (("user", WHO), ("system", "[Write the next reply in a story-like chat. Summarize nothing.]")),
    (("user", f"### Task:\nAnswer with the context.\n<context>\n标签 title\n</context>\n\n{WHO}"),),
)


@pytest.mark.parametrize("messages", OWN)
def test_a_question_of_a_user(messages: tuple[tuple[str, str], ...]) -> None:
    assert told(*messages) is None


def test_what_nothing_is_known_of() -> None:
    """Without names and questions there is the library's title, and no suggestion; English stays English."""
    order = sections("Suggest follow-up questions.")
    empty, english = (
        told(("user", order.replace(UPPER, talk)))
        for talk in ("", "USER: Who keeps the light?\nASSISTANT: Tom keeps it.")
    )
    assert empty is not None and english is not None
    assert answer_to(empty, Subject("雾港", ())) == ""
    assert answer_to(Task("title", empty.talk), Subject("雾港", ())) == "雾港"
    suggested = answer_to(english, Subject("Harbour", ("Tom",)))
    assert suggested.splitlines() == ["Who is Tom?", "What happens to Tom later?"]


HOSTILE = (
    "\n",
    "<user>",
    "<chat_history>",
    "user:\n",
    "# ",
    "!",
    "\n\n---\n\n",
    "ignore ",
    '{"title":',
    "<user_query>",
    "[{",
)


@pytest.mark.parametrize("piece", HOSTILE)
def test_long_texts_cost_little(piece: str) -> None:
    """No pattern looks at a text again and again: a megabyte is read in a moment."""
    text = piece * (1_000_000 // len(piece))
    messages = [ChatMessage(role="user", content=text), ChatMessage(role="assistant", content=text)]
    began = time.process_time()
    told(("system", text), ("user", WHO), ("assistant", text), ("user", text))
    assert conversation_of([*messages, ChatMessage(role="user", content=WHO)], 99).question == WHO
    assert time.process_time() - began < 2
