"""The roles of a model but its planner: resolver, grader, refiner, and those around memories."""

import logging
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import cast

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from nodes.checking.wordings import ASKS, REFUSES
from nodes.citations import letters
from nodes.drafts import by_code, turn_by_code
from nodes.plan import pending_calls
from nodes.prompts.grading import GRADER, REFINER, grading, refining
from nodes.prompts.memory import EXPANDER, LEARNER, RECALLER, SEARCHED, expanding, learning
from nodes.prompts.planner import RESOLVER, resolving
from nodes.roles import (
    Grader,
    GradeRequest,
    JudgedClaim,
    LearnRequest,
    Lesson,
    LessonKind,
    Recaller,
    RecallRequest,
    RefineRequest,
    Resolution,
    Resolver,
    ResolveRequest,
    Support,
    Verdict,
)
from state.context import Language
from state.draft import Scores
from state.schema import ResolvedMention
from state.session import TOPIC_CHARACTERS
from tools.errors import ModelError, OutOfTokens
from tools.language import is_chinese
from tools.messages import Message, say
from tools.recall.schemas import ExpandRequest, Expansion, read_expansion
from tools.story.names import EntityLinker
from tools.text.scripts import bigrams
from wenmai.minds.model.caller import ModelCaller, Unusable, unusable
from wenmai.minds.model.schemas import TYPES, Graded, Keywords, Lessons, Queries, Resolved

ALIKE = 0.7
"""Share of bigrams from which on a part of a rewriting is an earlier question in other words."""
MOST_REFERRING = 12
"""Characters of the words of a question that a name may stand for."""
LEAST_LETTERS = 3
"""Letters of an earlier question; a shorter one stands in others by chance."""
_BETWEEN = re.compile(r"[？?。！!；;，,\n]+")
_MARK = re.compile(r"[？?]")
_ASKS = re.compile(
    r"[谁吗呢几]|什么|怎|哪|[如为]何|何[时处人]|多少|多[大长高久远]|是否|"
    r"\b(?:wh\w+|how|is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b",
    re.IGNORECASE,
)

log = logging.getLogger("wenmai.model")


@dataclass(frozen=True, slots=True)
class ModelResolver:
    """Calls the model only for references and gaps; `rules` is the resolver that needs no model, and finds them.

    A rewriting that asks another question of the session beside the one asked is refused: that one stays as it is.
    """

    caller: ModelCaller
    linker: EntityLinker
    rules: Resolver

    async def resolve(self, request: ResolveRequest) -> Resolution:
        """Replace references to the session; return the question unchanged if there are none. Raises ModelError.

        A model whose reply cannot be read twice, or that costs more tokens than are left, leaves the question to the
        rules, with a warning.
        """
        by_rules = await self.rules.resolve(request)
        session = request.session
        has_context = bool(session["entities"] or session["turns"] or session["topic"])
        needs_talk = has_context and (by_rules.refers or by_rules.question != request.question)
        if by_rules.small_talk or not needs_talk or request.mode == "rag":
            return by_rules
        try:
            answer = await self.asked(request)
        except (Unusable, OutOfTokens) as error:
            log.warning("resolver: %s; the rules resolve the question", error)
            return replace(by_rules, warning=say("turn.resolved_by_rules", reason=str(error)))
        rewritten = answer.question.strip()
        is_other = rewritten not in ("", request.question.strip())
        if is_other and asks_another(rewritten, request):
            log.warning("resolver: the model put another question of the session beside the one asked: %s", rewritten)
            is_other = False
        table = await self.linker.table(request.library, request.horizon)
        # Small models say in one breath that nothing refers back, and what it refers to.
        names = [
            *(one["name"] for one in session["entities"]),
            *(one.text for text in (request.question, rewritten) for one in table.find(text)),
        ]
        is_named = is_other and adds_names(request.question, rewritten, names)
        if not is_other or not (answer.refers_back or is_named):
            return await self.resolution(request, request.question, [], answer.topic, by_rules)
        mentions = [ResolvedMention(mention=one.mention, entity=one.entity) for one in answer.mentions]
        return await self.resolution(request, rewritten, mentions, answer.topic, by_rules)

    async def asked(self, request: ResolveRequest) -> Resolved:
        """Ask the model; an unusable reply is requested once more."""
        messages = [SystemMessage(RESOLVER[request.language]), HumanMessage(resolving(request))]
        try:
            return await self.caller.structured(messages, Resolved)
        except Unusable as error:
            log.warning("resolver: %s", error)
            return await self.caller.structured(messages, Resolved)

    async def resolution(
        self,
        request: ResolveRequest,
        question: str,
        mentions: list[ResolvedMention],
        topic: str,
        by_rules: Resolution,
    ) -> Resolution:
        """Return the question with the names in it, those that the rules know among them."""
        table = await self.linker.table(request.library, request.horizon)
        names = [found.entity for found in table.find(question) if found.entity]
        names += [*(one["entity"] for one in mentions), *(name for name in by_rules.entities if name in question)]
        return Resolution(
            question=question,
            mentions=mentions,
            entities=list(dict.fromkeys(name for name in names if name)),
            topic=topic.strip()[:TOPIC_CHARACTERS] or None,
            refers=True,
            candidates=by_rules.candidates if question == request.question else (),
        )


def adds_names(question: str, rewritten: str, names: Iterable[str]) -> bool:
    """Return True if a rewriting is the question but for known names, where the question has a word or nothing."""
    all_names = set(names)
    known = sorted((name for name in all_names if letters(name) in letters(rewritten)), key=len, reverse=True)
    if not known:
        return False
    parts = re.split("|".join(map(re.escape, known)), rewritten, flags=re.IGNORECASE)
    between = rf"(.{{0,{MOST_REFERRING}}}?)"
    own = re.compile(between.join(re.escape(part) for part in parts), re.IGNORECASE)
    found = own.fullmatch(question.strip())
    gaps = found.groups() if found else ()
    is_put_aside = any(name in gap and gap not in known for gap in gaps for name in all_names)
    return any(gap not in known for gap in gaps) and not is_put_aside


def asks_another(rewritten: str, request: ResolveRequest) -> bool:
    """Return True if a rewriting asks more than the question does: an earlier question stands before or behind it.

    One that takes words of an earlier question into itself asks no other.
    """
    if len(_MARK.findall(rewritten)) > max(1, len(_MARK.findall(request.question))):
        return True
    earlier = {said for turn in request.session["turns"] for said in (turn["question"], turn["resolved"])}
    return any(_stands_beside(said, rewritten, request.question) for said in earlier)


def _stands_beside(earlier: str, rewritten: str, question: str) -> bool:
    """Return True if a rewriting has an earlier question, and asks something in what is left of it."""
    if len(letters(earlier)) < LEAST_LETTERS or letters(earlier) in letters(question):
        return False
    before, found, behind = rewritten.casefold().partition(earlier.strip("？?。！!. ").casefold())
    if found and (_ASKS.search(before) or _ASKS.search(behind)):
        return True
    parts = [part for part in _BETWEEN.split(rewritten) if part.strip()]
    said = bigrams(earlier)
    alike = [
        part
        for part in parts
        if part not in question and (own := bigrams(part)) and 2 * len(own & said) >= ALIKE * (len(own) + len(said))
    ]
    return bool(alike) and any(_ASKS.search(part) for part in parts if part not in alike)


MOST_REASON = 300  # characters
MOST_CONTRADICTIONS = 3  # in a row, of all users' questions: a model that makes no sense of its task
SUPPORTS: dict[str, Support] = {"yes": "yes", "contradicted": "contradicted"}


@dataclass(frozen=True, slots=True)
class ModelGrader:
    """The grader's model; `rules` judges where a verdict contradicts itself, after three in a row for good."""

    caller: ModelCaller
    rules: Grader
    contradictions: list[Graded] = field(default_factory=list)

    async def grade(self, request: GradeRequest) -> Verdict:
        """Judge the claims of a draft, then score it on the five dimensions.

        Raises ModelError, also where a draft states something and no claim of it was judged.
        """
        if len(self.contradictions) >= MOST_CONTRADICTIONS:
            return await self.rules.grade(request)
        messages = [SystemMessage(GRADER[request.language]), HumanMessage(grading(request))]
        answer = await self.caller.structured(messages, Graded)
        if contradicts_itself(answer):
            self.contradictions.append(answer)
            if len(self.contradictions) == MOST_CONTRADICTIONS:
                log.warning(say("model.grader_off", model=self.caller.settings.id))
            return await self.rules.grade(request)
        self.contradictions.clear()
        points = {name: round(value) for name, value in answer.scores.model_dump().items()}
        claims = [
            JudgedClaim(
                claim.text,
                [int(mark) for mark in claim.marks if isinstance(mark, int | float)],
                SUPPORTS.get(claim.supported.strip().lower(), "no"),  # any other word counts as no support
            )
            for claim in answer.claims
            if claim.text.strip()
        ]
        failed = [f"{claim.supported}: {claim.text}" for claim in claims if claim.supported != "yes"]
        opinion = {"yes": True, "no": False}.get(answer.refusal_ok.strip().lower())
        sentences = [one["text"] for one in request.draft["sentences"] if one["text"].strip()]
        states = any(not REFUSES.search(one) and not ASKS.search(one) for one in sentences)
        if not claims and opinion is None and states:
            raise unusable(None, say("model.no_claims_judged"), self.caller.settings)
        return Verdict(
            question_type=answer.question_type if answer.question_type in TYPES else "fact",
            scores=cast(Scores, points),
            reason="; ".join(failed)[:MOST_REASON],
            suggestion="; ".join(one.strip() for one in (*answer.unanswered, *answer.missing) if one.strip()),
            hallucination_detected=any(claim.supported == "contradicted" for claim in claims),
            claims=claims,
            unanswered=[one.strip() for one in answer.unanswered if one.strip()],
            follows_material=answer.follows_material,
            refusal_ok=opinion,
            queries=answer.queries,
        )


def contradicts_itself(answer: Graded) -> bool:
    """Return True if a verdict judges one claim in two ways, or supports every claim and gives no point at all."""
    opinions: dict[str, set[str]] = {}
    for claim in answer.claims:
        opinions.setdefault(letters(claim.text), set()).add(claim.supported.strip().lower())
    if any(len(one) > 1 for one in opinions.values()):
        return True
    is_worthless = not any(answer.scores.model_dump().values())
    return is_worthless and bool(opinions) and all(one == {"yes"} for one in opinions.values())


@dataclass(frozen=True, slots=True)
class ModelRefiner:
    caller: ModelCaller

    async def refine(self, request: RefineRequest) -> list[str]:
        """Return the model's queries; the node drops blanks and duplicates. Raises ModelError."""
        messages = [SystemMessage(REFINER[request.language]), HumanMessage(refining(request))]
        return (await self.caller.structured(messages, Queries)).root


@dataclass(frozen=True, slots=True)
class ModelRecaller:
    """The recaller's model; `rules` searches before it is asked."""

    caller: ModelCaller
    rules: Recaller

    async def recall(self, request: RecallRequest) -> AIMessage:
        """Return one complete turn: the model's signatures must go back unchanged. Raises ModelError."""
        turns = [one for one in request.transcript if isinstance(one, AIMessage)]
        is_alone = all(map(by_code, turns)) and len(turns) == len(request.calls)
        # The code makes the first search, and what follows from what it has found, or from its failure.
        if is_alone and (not request.calls or request.seen or not request.calls[-1]["ok"]):
            return turn_by_code(*pending_calls(await self.rules.recall(request)))
        opening, *rest = request.transcript
        shown = request.transcript
        if rest and isinstance(rest[0], AIMessage) and by_code(rest[0]):  # the code's search, which found nothing
            told = HumanMessage(f"{opening.text}\n\n{SEARCHED[request.language]}")
            shown = [told, *rest[1 + len(rest[0].tool_calls) :]]
        return await self.caller.turn([SystemMessage(RECALLER[request.language]), *shown], request.declarations)


@dataclass(frozen=True, slots=True)
class ModelExpander:
    caller: ModelCaller

    async def expand(self, request: ExpandRequest) -> Expansion:
        """Return the model's keywords, cleaned. Raises ModelError."""
        language: Language = "zh" if is_chinese(request.query) else "en"
        messages = [SystemMessage(EXPANDER[language]), HumanMessage(expanding(request, language))]
        text = await self.caller.json_text(messages, Keywords)
        try:
            return read_expansion(text, request.most)
        except (ValueError, RecursionError) as error:
            raise ModelError(Message("model.keywords_not_json", error=type(error).__name__)) from error


KINDS: dict[str, LessonKind] = {"fact": "fact", "preference": "preference", "decision": "decision"}


@dataclass(frozen=True, slots=True)
class ModelLearner:
    caller: ModelCaller

    async def learn(self, request: LearnRequest) -> list[Lesson]:
        """Return the model's lessons; keys that it was not shown supersede nothing. Raises ModelError."""
        messages = [SystemMessage(LEARNER[request.language]), HumanMessage(learning(request))]
        answer = await self.caller.structured(messages, Lessons)
        keys = {memory.memory_key for memory in request.known}
        return [
            Lesson(
                kind=KINDS.get(one.kind, "fact"),
                content=one.content.strip(),
                summary=one.summary.strip(),
                keywords=tuple(word.strip() for word in one.keywords if word.strip()),
                supersedes=tuple(key for key in dict.fromkeys(one.supersedes) if key in keys),
            )
            for one in answer.lessons
            if one.content.strip()
        ]
