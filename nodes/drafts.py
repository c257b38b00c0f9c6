"""A model's words as plain data and as drafts: when one is due, and what the code writes where there are none."""

import re
from collections.abc import Sequence
from itertools import dropwhile
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, ToolCall, ToolMessage, messages_from_dict, messages_to_dict

from nodes.checking.statements import sentences_of, without_code, without_sources
from nodes.checking.wordings import ASKS, ASSERTS, TO_USER
from nodes.citations import as_draft, cited_pieces, plain_text
from nodes.prompts.planner import Text, user_text
from nodes.scope import horizon_of
from state.context import Language
from state.draft import Draft, DraftOutcome, Note, Refusal, Sentence
from state.schema import AgentState, CallRecord, Evidence, PendingCall
from tools.arguments import is_true
from tools.dispatch import STOP
from tools.messages import say_in
from tools.networks.knowledge_network_retrieval import NAME as RETRIEVAL
from tools.recall.recall_memories import NAME as RECALL
from tools.records import Horizon

BY_CODE = "by_code"


def pack(messages: Sequence[AnyMessage]) -> list[dict[str, Any]]:
    return messages_to_dict(messages)


def unpack(transcript: Sequence[dict[str, Any]]) -> list[AnyMessage]:
    return messages_from_dict(transcript)  # type: ignore[return-value]  # BaseMessage there, always one of AnyMessage


def thought_blocks(message: AIMessage) -> list[dict[str, Any]]:
    """Return the blocks of a message's content that hold thoughts."""
    return [block for block in message.content if isinstance(block, dict) and block.get("type") == "thinking"]


def thoughts_in(message: AIMessage) -> list[str]:
    return [text for block in thought_blocks(message) if (text := block.get("thinking"))]


def turn_by_code(*calls: PendingCall) -> AIMessage:
    """Return the model turn that calls of the code replace."""
    told = [ToolCall(name=call["name"], args=call["args"], id=call["id"]) for call in calls]
    return AIMessage("", tool_calls=told, additional_kwargs={BY_CODE: True})


def by_code(message: AIMessage) -> bool:
    """Return True for a turn whose calls the code made: a model never sees them as its own."""
    return bool(message.additional_kwargs.get(BY_CODE))


def finish_of(reply: AIMessage, unknown: str = "") -> str:
    return str(reply.response_metadata.get("finish_reason") or unknown)


LONGEST_CODE = 200
"""Characters of code that a note says of."""
LONGEST_CLARIFYING = 300
MOST_STATEMENTS = 3
_OF_ASSISTANT = re.compile(
    r"^请?(?:先|做个?)?(?:自我介绍|介绍一?下?[您你]自己)(?:一下)?"
    r"|^(?:请问|那)?[您你](?:是谁|是(?:做|干)什么的|是什么(?:模型|助手|人工智能|AI|机器人)?|叫什么(?:名字)?|(?:都|还)?(?:能|会|可以|能够)(?:做|干|回答|帮我?做?)?(?:些)?什么(?:问题|事情?)?"
    r"|有(?:什么|哪些)(?:功能|能力|本领)|怎么用|该?怎么使用|(?:用|用的)?是?(?:什么|哪个|哪种)模型|是谁(?:开发|训练|做)的"
    r"|(?:是)?(?:怎么|如何|怎样)(?:工作|检索|(?:找到?|得到|得出|查到|知道|给出)(?:这个|这些)?(?:答案|回答|结果|结论|资料))的?"
    r"|的(?:答案|回答|资料|依据)(?:都?是)?(?:从|在)?(?:哪里|哪儿|何处)(?:来|找到?|得到)?的?)"
    r"|^(?:so )?(?:who|what) are you\b|^what(?:'s| is) your name\b|^what (?:all )?can you (?:do|answer|help)"
    r"|^how (?:do|did) you (?:work|search|(?:find|get|know) (?:the|this|that|these|your) (?:answers?|results?))"
    r"|^how (?:do|can|should) i use you\b|^are you (?:an? )?(?:ai|bot|human|robot|machine|model)\b",
    re.IGNORECASE,
)
_GREETS = re.compile(
    r"^(?:[您你]好|嗨|哈[喽啰]|[早晚]上好|下午好|(?:hi|hello|hey)\b)[呀啊，,。.！!～~\s]*", re.IGNORECASE
)

FIXED: dict[Text, DraftOutcome] = {
    "limit": "failed",
    "no_answer": "failed",
    "error": "failed",
}
NOTHING = Draft(status="failed", by="code", sentences=[], refused=None, confidence=None, notes=[], verified=False)
"""Of an attempt that was cut short."""


def written_by_code(key: Text, language: Language) -> Draft:
    sentence = Sentence(text=user_text(key, language), marks=[], role="answer")
    return Draft({**NOTHING, "status": FIXED.get(key, "chat"), "sentences": [sentence]})


def refused_by_code(language: Language, horizon: Horizon | None, why: Refusal = "no_evidence") -> Draft:
    sentence = Sentence(text=refusal_text(language, horizon), marks=[], role="answer")
    return Draft({**NOTHING, "status": "not_found", "sentences": [sentence], "refused": why})


def refusal_text(language: Language, horizon: Horizon | None) -> str:
    """Return that nothing was found; of a guarded story only as far as its reader knows it."""
    if horizon is None:
        return user_text("not_found", language)
    return say_in(language, "answer.not_found_so_far", part=horizon.part, chapter=horizon.chapter)


def chat(text: str) -> Draft:
    return Draft({**NOTHING, "status": "chat", "sentences": [Sentence(text=text, marks=[], role="answer")]})


def read_draft(text: str, question: str, evidence: list[Evidence], *, is_talk: bool = False) -> Draft:
    """Return the draft that a model's text with marks `[E<n>]` is, without its list of sources, and without code."""
    draft = as_draft(text, evidence)
    status: DraftOutcome = "chat" if is_talk else kind_of(sentences_of(draft, evidence), question)
    left, code = without_code(without_sources(draft), question, "\n".join(piece["text"] for piece in evidence))
    notes = [Note(action="dropped", reason="code", text=one[:LONGEST_CODE], evidence=[]) for one in code]
    sentences = sentences_of(left, evidence)
    return Draft({**NOTHING, "status": status, "by": "model", "sentences": sentences, "notes": notes})


def draft_due(state: AgentState) -> bool:
    """Return True if retrieval has ended: the next turn has no tools."""
    return state["stop_reason"] is not None or state["mode"] == "rag"


def draft_beside_stop(state: AgentState) -> Draft | None:
    """Return the text beside a model's `stop` if it is an answer: it cites evidence, or says that there is none.

    What a model only says of its work ("enough was found") is no draft.
    """
    transcript = unpack(state["transcript"])
    turns = list(dropwhile(lambda one: isinstance(one, ToolMessage), reversed(transcript)))
    if not draft_due(state) or not turns or len(turns) == len(transcript):
        return None
    turn = turns[0]
    if not isinstance(turn, AIMessage) or any(call["name"] != STOP for call in turn.tool_calls):
        return None
    draft = read_draft(turn.text, state["question"], state["evidence"])
    is_draft = cited_pieces(draft["sentences"], state["evidence"]) or state["stop_reason"] == "not_found"
    return draft if is_draft else None


def draft_by_code(state: AgentState) -> Draft | None:
    """Return the draft of an attempt without evidence: error if every call failed, else not_found; None otherwise."""
    if state["status"] == "small_talk" or state["evidence"]:
        return None
    executed = [
        call
        for call in state["tool_calls"]
        if call["executed"]  # a call for the schema of a network could find no rows
        and (call["tool"] != RETRIEVAL or not call["ok"] or is_true(call["args"].get("enable_keyword_context")))
    ]
    failed = bool(executed) and not any(call["ok"] for call in executed)
    language = state["language"]
    draft = written_by_code("error", language) if failed else refused_by_code(language, horizon_of(state))
    if question := None if failed else asked_back(executed, language):
        draft["sentences"].append(Sentence(text=f"\n{question}", marks=[], role="answer"))
    return draft


def asked_back(calls: Sequence[CallRecord], language: Language) -> str | None:
    """Return the question of the last recall to the user, where nothing but memories was searched."""
    steps = [step for call in calls for step in call.get("steps", ())]
    if any(call["tool"] not in (RECALL, STOP) for call in calls) or not steps or steps[-1]["tool"] != "handoff":
        return None
    args = steps[-1]["args"]
    asks = is_true(args.get("needs_more_info"))
    return (args.get("follow_up_question") or say_in(language, "recall.follow_up")) if asks else None


def draft_of(state: AgentState, text: str) -> Draft:
    """Return the draft that a model's text is: the code's own where nothing was found that it could rest on.

    A question back, and words about the assistant, rest on nothing.
    """
    draft = read_draft(text, state["question"], state["evidence"], is_talk=state["status"] == "small_talk")
    return draft if draft["status"] != "answer" else draft_by_code(state) or draft


def no_text(state: AgentState) -> Draft:
    """Return what stands for a draft that the model did not write, even when asked again."""
    return written_by_code("limit" if state["stop_reason"] == "max_turns" else "no_answer", state["language"])


def kind_of(sentences: Sequence[Sentence], question: str) -> DraftOutcome:
    """Return what a model's draft is: words about the assistant only where the whole question is about it.

    A question back to the user is nothing else: where it also states something, the draft is an answer.
    """
    texts = [one["text"].strip() for one in sentences if one["text"].strip()]
    if not texts or any(one["marks"] for one in sentences):
        return "answer"
    if is_about_assistant(question):
        return "chat"
    whole = plain_text(sentences)
    is_short = len(texts) <= MOST_STATEMENTS and len(whole) <= LONGEST_CLARIFYING
    is_asked = all(ASKS.search(one) and not ASSERTS.search(one) for one in texts)
    return "clarify" if is_short and is_asked and TO_USER.search(whole) else "answer"


def is_about_assistant(question: str) -> bool:
    """Return True if a question asks who or what the assistant is, or what it can do.

    A rule of the loop, not of a mind: whichever mind read the question, a model's words without evidence are an answer
    unless they are about the assistant.
    """
    asked = _GREETS.sub("", question.strip())
    found = _OF_ASSISTANT.search(asked)
    return found is not None and len(asked[found.end() :]) <= len("呢？ please?")
