"""What is said where LangSmith does not take what it is sent: the variable to mend, and never a key.

The library's own messages quote the request, a part of the key, and the id of every run that was lost.
"""

import logging
import re
import time
from collections.abc import Callable
from urllib.parse import urlsplit

from tools.secrets import redacted

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
    """Return what has happened and what mends it."""
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
        said = spoken(record)
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


def spoken(record: logging.LogRecord) -> str:
    """Return what a record says, its exception with it."""
    error = record.exc_info[1] if record.exc_info else None
    return f"{record.getMessage()} {error}" if error else record.getMessage()


def listen(endpoint: str, clean: Callable[[str], str]) -> None:
    """Let the library speak of this LangSmith in lines of ours from now on, `clean` of keys."""
    for name in LIBRARY_LOGS:
        logger = logging.getLogger(name)
        for before in [one for one in logger.filters if isinstance(one, Brief)]:
            logger.removeFilter(before)
        logger.addFilter(Brief(endpoint, clean))
