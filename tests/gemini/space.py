"""One test's share of the service: its key, script, models, rules and history."""

import inspect
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from tests.gemini.exchange import Request, public_headers
from tests.gemini.models import Model, configured, model
from tests.gemini.parts import Json
from tests.gemini.refusals import Refusal, unknown_model
from tests.gemini.replies import Always, Reply, Step, as_reply
from tests.gemini.signatures import Signatures
from wenmai.minds.model.client import ProviderName

LOOPBACK_MODEL = "gemini-99-loopback"  # an id that no service has; its number makes clients treat it as the newest
LOOPBACK_EMBEDDER = "gemini-embedding-loopback"


class Words(NamedTuple):
    """What messages call a service, its key, its address, and the beginning of the agent's other variables."""

    service: str
    key: str
    address: str
    prefix: str


@dataclass(slots=True)
class Queue:
    """Steps for the requests that fit."""

    model: str | None
    when: str | Callable[[Request], bool] | None
    steps: deque[Step | Always]

    @property
    def narrowness(self) -> int:
        """Queues with more conditions are asked first."""
        return (self.model is not None) + (self.when is not None)

    def fits(self, request: Request) -> bool:
        """Return True if this queue has a step for the request."""
        if not self.steps or self.model not in (None, request.model):
            return False
        if callable(self.when):
            return self.when(request)
        return self.when is None or self.when in request.system

    def take(self) -> Step:
        """Return the next step; the one that repeats stays."""
        step = self.steps[0]
        if isinstance(step, Always):
            return step.step
        self.steps.popleft()
        return step


@dataclass(slots=True)
class Space:
    """What a test holds: give `url` and `key` to the client, `play` a script, read the `history`.

    Steps and history have the form of the Gemini API, whatever protocol is spoken.
    """

    provider: ClassVar[ProviderName]
    words: ClassVar[Words]
    url: str
    key: str
    models: dict[str, Model] = field(default_factory=dict)
    history: list[Request] = field(default_factory=list)
    piece: int = 8  # characters in one chunk of a stream
    outage: Step | None = None  # answers everything, before the rules are looked at
    queues: list[Queue] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    failures: list[Exception] = field(default_factory=list)  # what functions of the script raised
    recorder: Callable[[Request, Reply], None] | None = None

    def __post_init__(self) -> None:
        self.know(LOOPBACK_MODEL, LOOPBACK_EMBEDDER, *configured())

    def know(self, *ids: str | Model) -> None:
        """Let the service know more models; unknown ids get its 404."""
        made = [one if isinstance(one, Model) else model(one) for one in ids]
        self.models.update({one.id: one for one in made})

    def play(
        self,
        *steps: Step | Always,
        model: str | None = None,
        when: str | Callable[[Request], bool] | None = None,
    ) -> None:
        """Append steps to the queue of these conditions.

        Args:
            steps: Parts, turns, faults, or functions of the request.
            model: Only for requests to this model.
            when: Only for requests whose system instruction contains this text, or for which this function is true.
        """
        with self.lock:
            for queue in self.queues:
                if (queue.model, queue.when) == (model, when):
                    queue.steps.extend(steps)
                    return
            self.queues.append(Queue(model, when, deque(steps)))
            self.queues.sort(key=lambda queue: -queue.narrowness)

    def answer(self, function: Callable[[Request], Any]) -> None:
        """Ask a function, plain or async, for every answer that no queue has."""
        self.play(Always(function))

    @property
    def generated(self) -> list[Request]:
        """Requests for turns of the model, token counts and embeddings left out."""
        return [one for one in self.history if one.method in ("generateContent", "streamGenerateContent")]

    @property
    def refused(self) -> list[Request]:
        """Requests that broke a rule of the service."""
        return [one for one in self.history if one.refusal]

    @property
    def left(self) -> int:
        """Steps that were not played; repeated ones do not count."""
        return sum(not isinstance(step, Always) for queue in self.queues for step in queue.steps)

    def assert_clean(self) -> None:
        """Assert that nothing was refused and the whole script was played."""
        assert not self.failures, self.failures
        refusals = [one.refusal for one in self.refused]
        assert not refusals, refusals
        assert self.left == 0, f"{self.left} steps of the script were not asked for"

    def record(self, method: str, model_id: str, body: Json, headers: dict[str, str]) -> Request:
        """Write a request into the history."""
        with self.lock:
            request = Request(len(self.history) + 1, time.time(), method, model_id, body, public_headers(headers))
            self.history.append(request)
            return request

    def model(self, model_id: str, method: str) -> Model:
        """Return a model. Raises the service's 404."""
        known = self.models.get(model_id)
        if known is None or method not in known.methods:
            raise unknown_model(model_id, method)
        return known

    def scripts(self, request: Request) -> bool:
        """Return True if a script names the model of a request: then also counts and vectors follow it."""
        with self.lock:
            return any(queue.model == request.model and queue.fits(request) for queue in self.queues)

    async def reply(self, request: Request) -> Reply:
        """Return the scripted answer of a request."""
        with self.lock:
            queue = next((one for one in self.queues if one.fits(request)), None)
            step: Any = queue.take() if queue else None
        if step is None:
            raise Refusal(400, f"loopback: the script has no step for request {request.number} ({request.model})")
        return as_reply(await resolved(step, request))


@dataclass(slots=True)
class Gemini(Space):
    """A space of the Gemini service."""

    provider: ClassVar[ProviderName] = "gemini"
    words: ClassVar[Words] = Words("Gemini", "GOOGLE_API_KEY", "GEMINI_BASE_URL", "GEMINI")
    signatures: Signatures = field(default_factory=Signatures)


async def resolved(step: Any, request: Request) -> Any:
    """Return what a function step answers, other steps as they are."""
    while callable(step):
        step = step(request)
        if inspect.isawaitable(step):
            step = await step
    return step
