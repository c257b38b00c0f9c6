"""What is answered without a search: small talk, what can be asked, the last answer again, the questions so far."""

import re
from collections.abc import Callable, Mapping

from nodes.prompts.planner import Text, user_text
from nodes.roles import PlanRequest
from state.session import MAX_TURNS
from tools.story.names import NameTable
from wenmai.language.lexicon import patterns
from wenmai.minds.offline.questions.question import Kind, understood
from wenmai.minds.offline.wordings import say

PATTERNS = patterns("wenmai.minds.offline", "small_talk.toml")
REPLIED: tuple[Text, ...] = ("farewell", "thanks")
SOURCES = {"documents": "replies.documents", "knowledge": "replies.knowledge", "memory": "replies.memory"}
_MARK = re.compile(r"\s?\[\d+\]")
_NO_NAMES = NameTable.build(())


def is_small_talk(question: str) -> bool:
    """Return True if the whole question is a greeting, thanks or a farewell."""
    return len(question) <= 60 and PATTERNS["small_talk"].fullmatch(question) is not None


def reply_to(request: PlanRequest) -> str:
    """Return the reply to small talk, or to a question about the talk itself, which no name blocks."""
    if reply := REPLIES.get(understood(request.question, _NO_NAMES).kind):
        return reply(request)
    fitting: list[Text] = [text for text in REPLIED if PATTERNS[text].search(request.question)]
    return user_text(fitting[0] if fitting else "greeting", request.language)


def abilities(request: PlanRequest) -> str:
    language = request.language
    named = [say(SOURCES[kit], language) for kit in request.toolkits if kit in SOURCES]
    sources = [say("replies.story", language, title=request.title), *named] if request.library else named
    examples = say("replies.story_examples" if request.library else "replies.other_examples", language)
    told = say("shared.between", language).join(sources) or say("replies.anything", language)
    return say("replies.abilities", language, sources=told, examples=examples)


def again(request: PlanRequest) -> str:
    """Return the last answer, without marks: their citations belong to the turn before."""
    answers = [turn["answer"] for turn in request.session["turns"] if turn["answer"]]
    if not answers:
        return say("replies.no_answer_yet", request.language)
    return say("replies.again", request.language, answer=_MARK.sub("", answers[-1]))


def earlier_questions(request: PlanRequest) -> str:
    """Return the first question or the last one where it is asked for, else the last ones, numbered."""
    language, session = request.language, request.session
    questions = [" ".join(turn["question"].split()) for turn in session["turns"]]
    if not questions:
        return say("replies.nothing_asked", language)
    if PATTERNS["first_question"].search(request.question):
        return say("replies.first_asked", language, question=" ".join((session.get("first") or questions[0]).split()))
    if PATTERNS["last_question"].search(request.question):
        return say("replies.last_asked", language, question=questions[-1])
    listed = "\n".join(f"{n}. {one}" for n, one in enumerate(questions, 1))
    number = "replies.questions" if len(questions) > 1 else "replies.one_question"
    told = "replies.asked_lately" if len(questions) >= MAX_TURNS else "replies.asked"
    return say(told, language, n=say(number, language, n=len(questions)), questions=listed)


REPLIES: Mapping[Kind, Callable[[PlanRequest], str]] = {
    "abilities": abilities,
    "again": again,
    "asked": earlier_questions,
}
