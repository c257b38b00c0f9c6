"""What is answered without a search: small talk, what can be asked, the last answer again, the questions so far."""

import re
from collections.abc import Callable, Mapping

from nodes.prompts.chinese import Text, user_text
from nodes.roles import PlanRequest
from state.context import Language
from state.session import MAX_TURNS
from tools.story.linking import NameTable
from wenmai.minds.offline.questions.question import Kind, understood

SMALL_TALK: tuple[tuple[Text, re.Pattern[str]], ...] = (
    ("farewell", re.compile(r"再见|拜拜|回见|回头见|下次见|明天见|晚安|bye|see you|good night", re.IGNORECASE)),
    ("thanks", re.compile(r"谢|感谢|辛苦|thank|cheers", re.IGNORECASE)),
)
ABILITIES: Mapping[Language, str] = {
    "zh": "我可以回答关于{sources}的问题，每个回答都附上出处。比如可以这样问：\n{examples}",
    "en": "I answer questions about {sources}, each answer with its source. For example:\n{examples}",
}
STORY: Mapping[Language, str] = {"zh": "《{title}》", "en": "“{title}”"}
SOURCES: Mapping[str, Mapping[Language, str]] = {
    "documents": {"zh": "上传的文档", "en": "the uploaded documents"},
    "knowledge": {"zh": "知识网络", "en": "the knowledge networks"},
    "memory": {"zh": "我们以前的对话", "en": "our earlier conversations"},
}
ANYTHING: Mapping[Language, str] = {"zh": "资料库", "en": "the library"}
AND: Mapping[Language, str] = {"zh": "、", "en": ", "}
STORY_EXAMPLES: Mapping[Language, tuple[str, ...]] = {
    "zh": ("主要人物有谁？", "第一章讲了什么？", "某个人物是谁，后来怎么样了？"),
    "en": (
        "Who are the main characters?",
        "What happens in chapter 1?",
        "Who is a certain person, and what became of them?",
    ),
}
OTHER_EXAMPLES: Mapping[Language, tuple[str, ...]] = {
    "zh": ("有哪些资料？", "某某是什么？", "我之前问过什么？"),
    "en": ("What material is there?", "What is this or that?", "What did I ask before?"),
}
NO_ANSWER_YET: Mapping[Language, str] = {
    "zh": "这次对话里还没有可以重复的回答，请直接提问。",
    "en": "There is no answer to repeat in this conversation yet, please ask a question.",
}
AGAIN: Mapping[Language, str] = {"zh": "上一个回答是：\n{answer}", "en": "The last answer was:\n{answer}"}
NOTHING_ASKED: Mapping[Language, str] = {
    "zh": "这次对话里你还没有问过问题。",
    "en": "You have not asked anything in this conversation yet.",
}
ASKED: Mapping[Language, str] = {"zh": "你问过 {n} 个问题：\n{questions}", "en": "You have asked {n}:\n{questions}"}
ASKED_LATELY: Mapping[Language, str] = {
    "zh": "我记得最近 {n} 个问题：\n{questions}",
    "en": "I remember the last {n}:\n{questions}",
}
QUESTIONS: Mapping[Language, tuple[str, str]] = {"zh": ("{n}", "{n}"), "en": ("{n} question", "{n} questions")}
_MARK = re.compile(r"\s?\[\d+\]")
_NO_NAMES = NameTable.build(())


def reply_to(request: PlanRequest) -> str:
    """Return the reply to small talk, or to a question about the talk itself, which no name blocks."""
    if reply := REPLIES.get(understood(request.question, _NO_NAMES).kind):
        return reply(request)
    fitting: list[Text] = [text for text, said in SMALL_TALK if said.search(request.question)]
    return user_text(fitting[0] if fitting else "greeting", request.language)


def abilities(request: PlanRequest) -> str:
    """Return what can be asked, with three examples."""
    language = request.language
    named = [SOURCES[kit][language] for kit in request.toolkits if kit in SOURCES]
    sources = [STORY[language].format(title=request.title), *named] if request.library else named
    examples = (STORY_EXAMPLES if request.library else OTHER_EXAMPLES)[language]
    return ABILITIES[language].format(
        sources=AND[language].join(sources) or ANYTHING[language],
        examples="\n".join(f"{n}. {one}" for n, one in enumerate(examples, 1)),
    )


def again(request: PlanRequest) -> str:
    """Return the last answer, without marks: their citations belong to the turn before."""
    answers = [turn["answer"] for turn in request.session["turns"] if turn["answer"]]
    if not answers:
        return NO_ANSWER_YET[request.language]
    return AGAIN[request.language].format(answer=_MARK.sub("", answers[-1]))


def asked(request: PlanRequest) -> str:
    """Return the questions so far, numbered; a session remembers only the last ones."""
    language, questions = request.language, [turn["question"] for turn in request.session["turns"]]
    if not questions:
        return NOTHING_ASKED[language]
    listed = "\n".join(f"{n}. {' '.join(one.split())}" for n, one in enumerate(questions, 1))
    count = QUESTIONS[language][len(questions) > 1].format(n=len(questions))
    texts = ASKED_LATELY if len(questions) >= MAX_TURNS else ASKED
    return texts[language].format(n=count, questions=listed)


REPLIES: Mapping[Kind, Callable[[PlanRequest], str]] = {"abilities": abilities, "again": again, "asked": asked}
