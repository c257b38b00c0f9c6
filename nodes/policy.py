"""Limits, thresholds and text lengths of the loop, in one place."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from state.context import Language
from tools.secrets import redacted

DEPTH_GATE = 8  # passed = depth >= 8 and evidence >= 5 and total >= 70
EVIDENCE_GATE = 5
TOTAL_GATE = 70
DIMENSION_MAX = 20
KEPT_RESULT = 2_000  # characters of a tool's output in state, trace and the grader's view
ATTEMPT_ANSWER = 200  # characters of a draft in the result's list of attempts
MAX_QUERIES = 3
OPENING_ROWS = 10  # of search_memory, in the search before a model's first turn
OPENING_CHARACTERS = 3_800  # of those rows, in Chinese characters or as many tokens
OPENING_WHOLE = 4  # of those rows: the best ones, whole
# Of all that a question about a book as a whole is shown before a model's first turn; and where it is shown whole
# passages, of which a grader reads those that are cited. A grader's request costs more in Chinese.
BOOK_CHARACTERS: Mapping[Language, int] = {"zh": 2_600, "en": 3_700}
BOOK_PASSAGES: Mapping[Language, int] = {"zh": 1_400, "en": 2_800}
PEOPLE_CHARACTERS, CONNECTION_CHARACTERS = 700, 500  # of it for the people; beside it for what connects two of them
SEARCH_LIMITS = (3, 3, 5)  # rows of search_memory per attempt
LONGEST_DEADLINE_S = 3_600.0  # that a run may ask for
KEPT_SHARE, MOST_KEPT_S = 0.1, 15.0
"""Share of a question's time, and the most of it, that is kept for the mind that stands in for a slow model."""

ModelFailure = Literal["offline", "message"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Price of a million tokens in USD; `cached` input costs as much as `input` if it has no price of its own.

    Thinking is part of the output, as the service bills it.
    """

    input: float
    output: float
    cached: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Limits that a deployment sets; a run's Context wins where it has the field.

    Attributes:
        search_limits: rows of search_memory per attempt; the last value repeats.
        recursion_limit: above the largest legal run: Context allows 100 attempts of 100 rounds, that is
            100 x (100 rounds x 2 + draft + grade + refine) + 2 steps. The counters in the state end a run long before.
        deadline_s: seconds for a whole question.
        model_timeout_s: seconds until a model's first token and between two; of a call that is not streamed, in all.
        tries_slow: a model that was silent for so long is asked again; one on this machine would only be as slow.
        tool_timeout_s, recall_timeout_s: seconds for one tool call, one recall of memories.
        recall_iterations, recall_rounds: windows of a recall, and model turns in each of them.
        on_model_failure: what ends a question whose model failed.
        use_function_calling, document_rows: the mode of runs on documents alone, and the rows of a search.
        fallback_to_rag: try rag mode before on_model_failure in runs on documents alone.
        log_questions: show the first characters of a question in the log.
        prices: by model id; an id that is not there costs an unknown sum, never nothing.
    """

    max_attempts: int = 3
    max_calls: int = 5
    search_limits: tuple[int, ...] = SEARCH_LIMITS
    deadline_s: float = 180.0
    model_timeout_s: float = 60.0
    tries_slow: bool = True
    tool_timeout_s: float = 30.0
    recall_timeout_s: float = 90.0
    recall_iterations: int = 3
    recall_rounds: int = 8
    recursion_limit: int = 20_400
    on_model_failure: ModelFailure = "offline"
    use_function_calling: bool = False
    document_rows: int = 5
    fallback_to_rag: bool = False
    log_questions: bool = True
    prices: Mapping[str, Price] = field(default_factory=dict)

    def kept_s(self, deadline_s: float) -> float:
        """Return the seconds of a question that no model may take."""
        return min(KEPT_SHARE * deadline_s, MOST_KEPT_S) if self.on_model_failure == "offline" else 0.0

    def shown(self, args: object) -> str:
        """Return the arguments of a call as a log may show them: they quote the question."""
        return redacted(str(args)) if self.log_questions else "..."


def limit_of(attempt: int, limits: list[int]) -> int:
    """Return the rows of search_memory in an attempt; the last value repeats."""
    return limits[min(attempt, len(limits)) - 1]
