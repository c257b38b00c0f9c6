"""What is looked up before a run: whatever cannot be used now is a line in the refusal, never a failure of ours."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from state.context import Context
from tools.errors import ConfigError, InputError, LibraryNotFound, StoreCorrupt, StoreUnavailable, WenmaiError
from wenmai.app.container import Services
from wenmai.application.limits import RateLimit
from wenmai.inputs import FieldError
from wenmai.settings.settings import Settings, validate_config
from wenmai.web.langgraph.run_checks import RunChecks, RunRequest


@dataclass
class Broken:
    """Services of which nothing opens."""

    failure: WenmaiError

    @property
    def opening(self) -> "Broken":
        return self

    async def open_networks(self, context: Context) -> None:
        if context.kn_ids:
            raise self.failure

    async def open_documents(self, context: Context) -> None:
        raise self.failure


@dataclass(slots=True)
class BrokenChecks(RunChecks):
    """Checks in a process whose stores do not open."""

    failure: WenmaiError = field(default_factory=lambda: StoreUnavailable("停机"))

    async def services(self) -> Services:
        return cast("Services", Broken(self.failure))


@pytest.mark.parametrize(
    ("failure", "status"),
    [
        (StoreUnavailable("Neo4j 没有响应：请检查 NEO4J_URI"), 503),
        (StoreCorrupt("文件损坏：请重新入库"), 503),
        (InputError("没有这个知识网络"), 422),
    ],
)
async def test_networks_that_cannot_be_read(failure: WenmaiError, status: int) -> None:
    """PLA-28: a store of networks that is down is said before the run, as 503."""
    [found] = await BrokenChecks(failure=failure).source_problems(Context(toolkits=["knowledge"], kn_ids=["n"]))
    assert (found.field, found.reason, found.status) == ("context.kn_ids", str(failure), status)


@pytest.mark.parametrize(
    ("failure", "field_name", "status"),
    [
        (StoreUnavailable("PostgreSQL 没有响应：请检查 POSTGRES_URI"), "context.library", 503),
        (ConfigError("EMBEDDING_MODEL: 没有这个文件夹"), "context.library", 503),
        (LibraryNotFound("没有名为 x 的资料库"), "context.library", 422),
        (InputError("没有工具"), "context.mode", 422),
    ],
)
async def test_stores_that_cannot_be_opened(failure: WenmaiError, field_name: str, status: int) -> None:
    """PLA-28: a store that is down, and a model that is missing, are said before the run."""
    [found] = await BrokenChecks(failure=failure).source_problems(Context(library="x"))
    assert (found.field, found.reason, found.status) == (field_name, str(failure), status)


@dataclass(slots=True)
class Lenient(RunChecks):
    """Checks that find nothing wrong with a run and count what they look at."""

    looked: int = 0

    async def settings(self) -> Settings:
        return validate_config(max_batch_runs=3)

    async def object_problems(self, route: RunRequest, payload: Mapping[str, Any]) -> list[FieldError]:
        self.looked += 1
        return []


def asking(text: str) -> dict[str, Any]:
    return {"input": {"messages": [{"role": "user", "content": text}]}}


@pytest.mark.parametrize(("text", "said"), [("谁？", "最多 3 个运行"), ("Who?", "At most 3 runs can be sent at once")])
async def test_a_batch_beyond_its_limit(text: str, said: str) -> None:
    """PLA-31: it is refused by its length, in the question's language, before any run is looked at."""
    checks = Lenient()
    [found] = await checks.batch_problems([asking(text)] * 4, None)
    assert (found.field, checks.looked) == ("body", 0) and said in found.reason and "MAX_BATCH_RUNS" in found.reason
    assert await checks.batch_problems([asking(text)] * 3, None) == [] and checks.looked == 3


@pytest.mark.parametrize("run", [{}, {"input": None}, {"input": {"messages": []}}, {"input": {"messages": [7]}}])
async def test_the_language_of_a_batch_without_a_text(run: dict[str, Any]) -> None:
    """What has no text to go by is refused all the same."""
    assert len(await Lenient().batch_problems([run] * 4, None)) == 1


async def test_the_runs_of_a_batch_count() -> None:
    """PLA-31: a batch takes as many places of the rate as it has runs."""
    limit = RateLimit("5/minute")
    assert await limit.wait("k", 4) == 0 and await limit.wait("k") == 0
    assert await limit.wait("k") > 0
    assert await RateLimit("5/minute").wait("k", 6) > 0 and await RateLimit("0").wait("k", 600) == 0
