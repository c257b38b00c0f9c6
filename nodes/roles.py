"""The roles behind the nodes: their requests, their answers and their Protocols."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, Protocol

from langchain_core.messages import AIMessage, AnyMessage

from state.context import Language
from state.draft import Draft, QuestionType, Refusal, Scores
from state.recall import HistoryMessage, RecallCall, RecallState, SeenMemory
from state.schema import AgentState, CallRecord, Candidate, Evidence, PendingCall, ResolvedMention
from state.session import Session, SessionTurn
from tools.memory.records import Memory
from tools.networks.lexicon import NetworkSelection
from tools.ports import KeywordExpander
from tools.recall.context import Iteration
from tools.records import Horizon

Support = Literal["yes", "no", "contradicted"]


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A claim of a draft, the numbers of its marks, and whether the evidence supports it."""

    text: str
    marks: Sequence[int]
    supported: Support


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A grader's opinion; gates and total are computed by the node.

    Attributes:
        hallucination_detected: the draft contradicts the evidence.
        confidence: probability (0..1) that the draft answers the question rightly, or, of a refusal, that nothing in
            the evidence does; None if the grader gives none.
        claims: those of the draft; () if the grader does not take it apart.
        unanswered: parts of the question that no supported claim answers.
        follows_material: the draft obeys something that the evidence only says.
        refusal_ok: whether a refusal is right; None for a draft that is none.
        queries: what to search for next.
        by: who judged, where that is not the mind whose grader was asked.
    """

    question_type: QuestionType
    scores: Scores
    reason: str
    suggestion: str
    hallucination_detected: bool = False
    confidence: float | None = None
    claims: Sequence[JudgedClaim] = ()
    unanswered: Sequence[str] = ()
    follows_material: bool = False
    refusal_ok: bool | None = None
    queries: Sequence[str] = ()
    by: str | None = None


class Listener(Protocol):
    """Takes a model's turn as it is written."""

    def words(self, piece: str) -> None: ...

    def thought(self, words: str) -> None: ...

    def restart(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """Everything that a recaller may look at for one model turn.

    Attributes:
        window: the session's messages that this iteration shows, oldest first.
        transcript: the iteration's working messages, beginning with the prompt.
        calls: every call of the recall so far, all iterations; `seen` the memories that they found, by key.
        leads: memories around their results in the same conversations, best first.
    """

    query: str
    window: Sequence[HistoryMessage]
    iteration: Iteration
    transcript: Sequence[AnyMessage]
    calls: Sequence[RecallCall]
    seen: Mapping[str, SeenMemory]
    leads: Mapping[str, SeenMemory]
    declarations: Sequence[dict[str, Any]]
    language: Language


class Recaller(Protocol):
    """Searches a user's memories."""

    async def recall(self, request: RecallRequest) -> AIMessage:
        """Return one model turn: calls of the memory tools, `handoff` last; a text ends the recall."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveRequest:
    """A question with its session; in rag mode no model may be called."""

    question: str
    session: Session
    library: str
    horizon: Horizon | None
    language: Language
    mode: Literal["agent", "rag"] = "agent"
    networks: NetworkSelection | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """The rewritten question (unchanged if nothing refers back), its names and its topic phrase.

    `refers`: it needs the talk before it, whether or not that was understood. `candidates`: what a reference may mean
    that was left because nothing is sure, or else may that was replaced, the likeliest first. `warning`: what the user
    should know of how it was made.
    """

    question: str
    mentions: list[ResolvedMention]
    entities: list[str]
    topic: str | None
    small_talk: bool = False
    refers: bool = False
    candidates: Sequence[Candidate] = ()
    warning: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRequest:
    """The input of a planner for one model turn.

    Attributes:
        question: the user's words; `resolved` has names in place of pronouns.
        queries: from attempt 2 on, the refiner's words.
        transcript: the attempt's working messages, beginning with the question.
        calls: every call of the question so far, all attempts; `evidence` that of this attempt.
        draft_only: no tools may be called, a draft is due; they stay declared, so that requests begin alike.
        declares: tools are declared; False for a model that calls them though it may not.
        max_turns: rounds with calls in one attempt.
        stream: takes the reply as it is written; None: it is not streamed.
        today: the day of the user's clock.
    """

    question: str
    resolved: str
    entities: list[str]
    queries: list[str]
    transcript: Sequence[AnyMessage]
    calls: Sequence[CallRecord]
    evidence: Sequence[Evidence]
    attempt: int
    limit: int
    declarations: Sequence[dict[str, Any]]
    toolkits: Sequence[str]
    mode: Literal["agent", "rag"]
    draft_only: bool
    small_talk: bool
    library: str
    title: str
    horizon: Horizon | None
    language: Language
    session: Session
    max_turns: int = 5
    declares: bool = True
    networks: NetworkSelection | None = None
    stream: Listener | None = None
    today: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GradeRequest:
    """A checked draft with the calls that it is based on, newest first; without the planner's reasoning.

    `last_turn` is the turn before.
    """

    question: str
    draft: Draft
    calls: Sequence[CallRecord]
    evidence: Sequence[Evidence]
    library: str
    horizon: Horizon | None
    language: Language
    last_turn: SessionTurn | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RefineRequest:
    """A failed draft's question and the grader's suggestion.

    `refused` is why the draft does not answer, None for one that does; `unanswered` are the parts that the grader found
    no answer to, () where it does not say.
    """

    question: str
    suggestion: str
    queries_used: Sequence[str]
    language: Language
    refused: Refusal | None = None
    library: str = ""
    horizon: Horizon | None = None
    unanswered: Sequence[str] = ()


class Resolver(Protocol):
    """Makes a question self-contained."""

    async def resolve(self, request: ResolveRequest) -> Resolution: ...


class Opener(Protocol):
    """Searches before a model is asked."""

    async def calls(self, request: PlanRequest) -> list[PendingCall]:
        """Return the calls that are left to make before the model's first turn of an attempt, [] for none."""
        ...


Reply = AIMessage | Draft


class Planner(Protocol):
    """Chooses calls, or writes the draft."""

    async def plan(self, request: PlanRequest) -> Reply:
        """Return a model's turn: tool calls, or text with `[E<n>]` after claims that the n-th evidence supports.

        A mind without a model returns its draft as data.
        """
        ...


class Grader(Protocol):
    """Judges a draft."""

    async def grade(self, request: GradeRequest) -> Verdict:
        """Score a draft on the five dimensions, 0..20 each."""
        ...


class Refiner(Protocol):
    """Finds new search words."""

    async def refine(self, request: RefineRequest) -> list[str] | None:
        """Return 2-3 queries for the next attempt, None if another attempt would see nothing new."""
        ...


LessonKind = Literal["fact", "preference", "decision", "summary"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnRequest:
    """A finished turn, and memories of the user.

    Attributes:
        answer: '' if the turn was not answered.
        known: active memories that the turn may repeat or contradict, the nearest first.
        names: entities of the library in the question.
    """

    question: str
    resolved: str
    answer: str
    known: Sequence[Memory]
    language: Language
    names: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What a turn taught; a newer lesson with the same `slot` replaces an older one."""

    kind: LessonKind
    content: str
    summary: str
    keywords: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    slot: str | None = None


class Learner(Protocol):
    """Finds what is worth remembering in a turn."""

    async def learn(self, request: LearnRequest) -> list[Lesson]:
        """Return facts, preferences and decisions, or a summary; `supersedes` holds keys of `request.known`."""
        ...


class Ranker(Protocol):
    """Ranks evidence for a question."""

    async def rank(
        self,
        question: str,
        evidence: Sequence[Evidence],
        calls: Sequence[CallRecord],
        library: str,
        horizon: Horizon | None,
    ) -> list[Evidence]:
        """Return the evidence of an attempt, best first; equal input gives equal order."""
        ...


class ReadAnswer(Protocol):
    """What a reader found in a passage: the span that answers, and log odds."""

    @property
    def span(self) -> tuple[int, int]:
        """Half-open character offsets of the answer."""
        ...

    @property
    def margin(self) -> float:
        """Log odds of the span against "no answer here"."""
        ...

    @property
    def answerable(self) -> float:
        """Log odds that the passage answers at all."""
        ...

    def sentence(self, span: tuple[int, int]) -> float: ...


class AnswerReader(Protocol):
    """Points at answers in passages."""

    def answers(self, question: str, passage: str) -> Sequence[ReadAnswer]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Mind:
    """The roles that answer a question, and the names that results and traces show.

    The models are None for a mind without: then its name is shown in their place. Without an opener the planner makes
    the first calls itself.
    """

    name: str
    resolver: Resolver
    planner: Planner
    grader: Grader
    refiner: Refiner
    ranker: Ranker
    recaller: Recaller
    expander: KeywordExpander
    learner: Learner
    opener: Opener | None = None
    agent_model: str | None = None
    grader_model: str | None = None


@dataclass(frozen=True, slots=True)
class Minds:
    first: Mind
    fallback: Mind | None = None

    def of(self, state: AgentState | RecallState) -> Mind:
        return self.fallback if state["degraded"] and self.fallback else self.first
