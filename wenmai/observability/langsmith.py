"""What LangSmith gets: traces without identities, keys and folders, on request without contents, grades as feedback.

Everything that leaves goes through `SafeClient`, whoever traces: LangChain, the LangGraph server, an experiment.
Loaded only where LANGSMITH_TRACING or an experiment wants it.

Where LangSmith does not take what it is sent the log names the variable to mend, and never a key: the library's own
messages quote the request, a part of the key, and the id of every run that was lost.
"""

import logging
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import langsmith
from langsmith import Client
from langsmith.utils import LangSmithError, LangSmithNotFoundError, get_api_url, get_tracer_project

from tools.secrets import REDACTED, redacted
from wenmai.observability.allowance import Allowance, Content, plain
from wenmai.observability.cleaning import cleaner, folders_of, secrets_of
from wenmai.settings.settings import Settings

STATUS = re.compile(r"\b(\d{3}) (?:Client|Server) Error|too many (\d{3}) error responses")
SILENT = re.compile(r"Connection error|Max retries|timed? ?out|Timeout|Connection aborted|SSLError", re.IGNORECASE)
REFUSALS = (401, 403)
NO_PLACE = 404
TOO_MANY = 429
BROKEN = 500
LIBRARY_LOGS = ("langsmith.client", "langsmith._internal._background_thread", "langsmith.evaluation._arunner")
LOST = "Failed to"  # how the library begins to say what did not arrive
# A first look that fails tells nothing that the next request does not tell.
NOISE = ("Failed to get info", "Run compression is not enabled")
MOST_CHARACTERS = 300
AGAIN_S = 600.0  # a cause logged so long ago is logged again: it lasts, or has come back


def place_of(endpoint: str) -> str:
    """Return where a LangSmith is, without what stands before an @: it may be a password."""
    parts = urlsplit(endpoint if "://" in endpoint else f"//{endpoint}")
    place = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{place}" if parts.scheme else place


def failure_line(said: str, endpoint: str) -> str:
    """Return in one line what the library said of a request that failed, and what to do."""
    cause, remedy = cause_of(said)
    return f"LangSmith（{place_of(endpoint)}）{cause}：{remedy}"


def cause_of(said: str) -> tuple[str, str]:
    found = STATUS.search(said)
    status = int(found[1] or found[2]) if found else 0
    if status in REFUSALS:
        return f"拒绝了密钥（{status}）", "请检查 LANGSMITH_API_KEY，以及 LANGSMITH_ENDPOINT 是不是这个密钥所在的服务"
    if status == TOO_MANY:
        return "说请求过多（429）", "请稍后重试"
    if status >= BROKEN:
        return f"出错（{status}）", "请稍后重试；一直如此请检查 LANGSMITH_ENDPOINT"
    if status == NO_PLACE:
        return "没有这个接口（404）", "请检查 LANGSMITH_ENDPOINT"
    if status:
        return f"不接受请求（{status}）", "请检查 LANGSMITH_ENDPOINT 和 LANGSMITH_API_KEY"
    if SILENT.search(said):
        return "没有回答（连接失败或超时）", "请检查 LANGSMITH_ENDPOINT 和网络"
    return "的回答读不懂", "请检查 LANGSMITH_ENDPOINT 是不是 LangSmith"


class Brief(logging.Filter):
    """Makes one line of what the library says of lost traces, each cause now and then; all else loses keys and length.

    Args:
        endpoint: address of the LangSmith.
        clean: takes keys out of a text.
        clock: seconds, for how long ago a cause was logged.
    """

    def __init__(
        self, endpoint: str, clean: Callable[[str], str] = redacted, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__()
        self.endpoint = endpoint
        self.clean = clean
        self.clock = clock
        self.logged: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Put the line in the record's place; return True if it is to be logged."""
        error = record.exc_info[1] if record.exc_info else None
        said = f"{record.getMessage()} {error}" if error else record.getMessage()
        record.exc_info = record.exc_text = None
        record.args = ()
        if said.startswith(NOISE):
            return False
        if not said.startswith(LOST):
            record.msg = " ".join(self.clean(said).split())[:MOST_CHARACTERS]
            return True
        record.msg = f"{failure_line(said, self.endpoint)}（回答不受影响，这些记录没有送达）"
        return self.is_due(record.msg)

    def is_due(self, line: str) -> bool:
        """Return True if a line is to be logged now, and note when it was."""
        now, before = self.clock(), self.logged.get(line)
        if before is not None and now - before < AGAIN_S:
            return False
        self.logged[line] = now
        return True


def listen(endpoint: str, clean: Callable[[str], str]) -> None:
    """Let the library speak of this LangSmith in lines of ours from now on, `clean` of keys."""
    for name in LIBRARY_LOGS:
        logger = logging.getLogger(name)
        for before in [one for one in logger.filters if isinstance(one, Brief)]:
            logger.removeFilter(before)
        logger.addFilter(Brief(endpoint, clean))


# Metadata that tells nothing of a user; LangGraph would also send every field of the context, user_id among them.
NAMES = frozenset(
    {"thread_id", "run_id", "graph_id", "assistant_id", "library", "mode", "language", "mind", "attempt", "score"}
    | {"passed", "degraded", "usage_metadata", "run_attempt", "revision_id", "checkpoint_ns", "as_of_chapter"}
    | {"status", "confidence"}
    | {"experiment", "example_version", "num_repetitions", "repetition", "dataset_version"}
)
PREFIXES = ("ls_", "langgraph_")
IDENTITIES = ("langgraph_auth", "langgraph_request")
KEPT_OF_EXTRA = ("metadata", "runtime")
KEPT_OF_EVENT = ("name", "time")
QUOTING = ("error", "events", "serialized", "tags")  # members of a run that may quote a key or name a user
ERROR_NAME = re.compile(r"[\w.]+")
KEPT_EVENTS = 3  # of a model: the begin, and the first words; of others the times say all
CONTENTS: Mapping[str, Content] = {"inputs": "input", "outputs": "output"}
AS_BEGUN = ("inputs", "extra", "events", "tags", "serialized")  # at the end of a step they are those of its begin
ROUTING = "after_"  # begins the names of what chooses the next step: the next run says the same
OPEN_RUNS = 10_000  # runs that have begun and not ended, of all questions
STEP = "langgraph_node"  # stands in the metadata of what runs inside of a graph
OUTPUT = frozenset({"messages", "result"})  # of the graph, where it is not its whole state; its nodes return others
WAITING = 100  # answers whose feedback waits for a slow LangSmith; that of more is dropped
FLUSH_SECONDS = 10.0  # for the first run of a project to arrive, which makes the project

log = logging.getLogger("wenmai.observability.langsmith")


class SafeClient(Client):
    """A client that sends no identity and no key, and on request no content."""

    def __init__(self, *, clean: Callable[[Any], Any], hides_contents: bool, **options: Any) -> None:
        super().__init__(anonymizer=clean, hide_inputs=hides_contents, hide_outputs=hides_contents, **options)
        self.clean = clean
        self.hides_contents = hides_contents
        self.projects: dict[str, Any] = {}
        self.one_at_a_time = threading.Lock()
        self.sending: set[threading.Thread] = set()
        self.allowances: OrderedDict[str, Allowance | None] = OrderedDict()  # by the id of a run that has not ended
        self.opening = threading.Lock()

    def create_run(self, name: str, inputs: dict[str, Any], run_type: Any, **members: Any) -> None:
        """Send the begin of a run, unless its question has sent as much as it may."""
        allowance = self.allowance_of(name, run_type, members)
        if allowance is not None:
            begun = self.contents(allowance, {"inputs": inputs}).get("inputs", {})
            super().create_run(name, begun, run_type, **self.cleaned(members, allowance))

    def update_run(self, run_id: Any, **members: Any) -> None:
        """Send the end of a run; with that of a question the grade, as metadata and as feedback."""
        with self.opening:
            allowance = self.allowances.pop(str(run_id), None if is_step(members) else Allowance(self.clean))
        if allowance is None:
            return
        result = result_of(members.get("outputs"))
        if allowance.is_step:  # of a model's run the end adds what it took
            known = AS_BEGUN[:1] if allowance.run_type == "llm" else AS_BEGUN
            members = {key: value for key, value in members.items() if key not in known}
        kept = self.cleaned(members, allowance) | self.contents(allowance, members)
        if result is not None:
            extra = kept.get("extra") or {}
            kept["extra"] = {**extra, "metadata": {**extra.get("metadata", {}), **facts(result)}}
        super().update_run(run_id, **kept)
        if result is not None and (told := dict(scores(result))):
            project = members.get("session_name") or get_tracer_project()
            self.send_feedback_later(told, run_id, members.get("trace_id") or run_id, project)

    def allowance_of(self, name: str, run_type: str, members: Mapping[str, Any]) -> Allowance | None:
        """Return what a new run may send, None for nothing: a step shares what its question has for all of them.

        The end of a run may never come: the runs that nothing was heard of for longest are forgotten.
        """
        with self.opening:
            if is_step(members):
                above = str(members["parent_run_id"])
                if question := self.allowances.get(above):
                    self.allowances.move_to_end(above)
                allowance = None if question is None or name.startswith(ROUTING) else question.of_step(run_type)
            else:
                allowance = Allowance(self.clean)
            self.allowances[str(members.get("id"))] = allowance
            while len(self.allowances) > OPEN_RUNS:
                self.allowances.popitem(last=False)
        return allowance

    def contents(self, allowance: Allowance, members: Mapping[str, Any]) -> dict[str, Any]:
        """Return inputs and outputs as they may leave; where contents are hidden the library leaves them out."""
        known = {name: members[name] for name in CONTENTS if members.get(name)}
        if self.hides_contents:
            return known
        return {name: allowance.content(value, CONTENTS[name]) for name, value in known.items()}

    def send_feedback_later(self, *arguments: Any) -> None:
        """Send feedback from a thread: it must name its project, which is looked up, and made by its first run."""
        if len(self.sending) >= WAITING:
            log.warning("LangSmith is slow: the feedback on an answer was dropped")
            return
        thread = threading.Thread(target=self.send_feedback, args=arguments, daemon=True)
        self.sending.add(thread)
        thread.start()

    def send_feedback(self, scores: Mapping[str, float], run_id: Any, trace_id: Any, project: str) -> None:
        """Send the feedback on an answer; without it the answer is as good."""
        try:
            with self.one_at_a_time:
                session = self.project_id(project)
            for key, score in scores.items():
                self.create_feedback(run_id, key, score=score, trace_id=trace_id, session_id=session)
        except (LangSmithError, ValueError) as error:  # it is out, or answers what it never did
            log.warning("no feedback: %s", failure_line(str(error), self.api_url))
        finally:
            self.sending.discard(threading.current_thread())

    def project_id(self, name: str) -> Any:
        if name not in self.projects:
            try:
                self.projects[name] = self.read_project(project_name=name).id
            except LangSmithNotFoundError:
                super().flush(FLUSH_SECONDS)
                self.projects[name] = self.read_project(project_name=name).id
        return self.projects[name]

    def flush(self, timeout: float | None = None) -> None:
        """Wait until everything is sent, feedback too, or the time is over."""
        end = None if timeout is None else time.monotonic() + timeout
        for thread in list(self.sending):
            thread.join(None if end is None else max(0.0, end - time.monotonic()))
        super().flush(None if end is None else max(0.0, end - time.monotonic()))

    def cleaned(self, members: Mapping[str, Any], allowance: Allowance) -> dict[str, Any]:
        """Return the members of a run beside its contents as they may leave; the run itself stays as it is."""
        kept = {name: value for name, value in members.items() if value or name not in CONTENTS}
        if isinstance(kept.get("extra"), Mapping):
            kept["extra"] = self.safe_extra(kept["extra"], allowance)
        if allowance.run_type == "llm":
            kept["events"] = (kept.get("events") or [])[:KEPT_EVENTS]
        else:
            kept.pop("events", None)
        if self.hides_contents:
            kept.pop("serialized", None)
            kept["events"] = [{k: v for k, v in one.items() if k in KEPT_OF_EVENT} for one in kept.get("events") or ()]
        kept |= {name: self.clean(allowance.content(kept[name], "extra")) for name in QUOTING if kept.get(name)}
        if kept.get("events"):  # the mark of what a list has left out is no event
            kept["events"] = [one for one in kept["events"] if isinstance(one, Mapping)]
        if self.hides_contents and kept.get("error"):
            found = ERROR_NAME.match(str(kept["error"]))  # without its message: that may quote a question
            kept["error"] = found[0] if found else REDACTED
        return kept

    def safe_extra(self, extra: Mapping[str, Any], allowance: Allowance) -> dict[str, Any]:
        """Return what may leave beside inputs and outputs; the runtime stands with a question, not with its steps."""
        names = KEPT_OF_EXTRA if self.hides_contents else tuple(extra)
        without = ("metadata", "runtime") if allowance.is_step else ("metadata",)
        kept = {name: extra[name] for name in names if name in extra and name not in without}
        metadata = {name: value for name, value in (extra.get("metadata") or {}).items() if is_safe(name)}
        short: dict[str, Any] = self.clean({**allowance.content(kept, "extra"), "metadata": plain(metadata)})
        return short


def is_step(members: Mapping[str, Any]) -> bool:
    """Return True if a run is one of those below a question."""
    metadata = (members.get("extra") or {}).get("metadata") or {}
    return STEP in metadata and members.get("parent_run_id") is not None


def is_safe(name: str) -> bool:
    """Return True if a member of the metadata identifies no user."""
    return name in NAMES or (name.startswith(PREFIXES) and not name.startswith(IDENTITIES))


def result_of(outputs: Any) -> Mapping[str, Any] | None:
    """Return the result record of a question that ends, None for any other run."""
    if not isinstance(outputs, Mapping) or not ("question" in outputs or set(outputs) == OUTPUT):
        return None
    result = outputs.get("result")  # empty at the beginning of a turn
    return result if isinstance(result, Mapping) and "trace_id" in result else None


def facts(result: Mapping[str, Any]) -> dict[str, Any]:
    grade = result["grade"] or {}
    names = ("thread_id", "library", "attempt", "status", "confidence", "passed", "mode", "mind", "degraded")
    metadata = {name: result[name] for name in names}
    return {
        **metadata,
        "score": grade.get("score"),
        **{f"ls_grade_{k}": v for k, v in (grade.get("scores") or {}).items()},
    }


def scores(result: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Yield the feedback on an answer: confidence (0..1), and of a grade five dimensions of 0..20, sum and verdict."""
    grade = result["grade"]
    if result["confidence"] is not None:
        yield "confidence", float(result["confidence"])
    if not grade:
        return
    yield from ((name, float(value)) for name, value in grade["scores"].items())
    yield "score", float(grade["score"])
    yield "passed", float(grade["passed"])


def client_of(settings: Settings) -> SafeClient:
    key, clean = settings.langsmith_api_key, cleaner(secrets_of(settings), folders_of(settings))
    endpoint = get_api_url(settings.langsmith_endpoint)
    listen(endpoint, clean)  # before there is a client: its thread may speak at once
    return SafeClient(
        clean=clean,
        hides_contents=settings.langsmith_hide_contents,
        api_url=endpoint,
        api_key=key.get_secret_value() if key else None,
    )


def begin(settings: Settings) -> SafeClient:
    """Trace this process to LangSmith from now on."""
    client = client_of(settings)
    langsmith.configure(client=client, enabled=True, project_name=settings.langsmith_project)
    return client
