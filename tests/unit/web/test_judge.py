"""What is looked up before a run: whatever cannot be used now is a line in the refusal, never a failure of ours."""

from dataclasses import dataclass, field
from typing import cast

import pytest

from state.context import Context
from wenmai.app.container import Services
from wenmai.errors import ConfigError, InputError, LibraryNotFound, StoreCorrupt, StoreUnavailable, WenmaiError
from wenmai.web.judge import Judge


@dataclass
class Broken:
    """Services of which nothing opens."""

    failure: WenmaiError

    @property
    def opening(self) -> "Broken":
        return self

    async def open_networks(self, context: Context) -> None:
        raise self.failure

    async def open_documents(self, context: Context) -> None:
        raise self.failure


@dataclass(slots=True)
class BrokenJudge(Judge):
    """A judge in a process whose stores do not open."""

    failure: WenmaiError = field(default_factory=lambda: StoreUnavailable("停机"))

    async def services(self) -> Services:
        return cast("Services", Broken(self.failure))


@pytest.mark.parametrize(
    ("failure", "status"),
    [
        (StoreUnavailable("Neo4j 没有回答：请检查 NEO4J_URI"), 503),
        (StoreCorrupt("文件损坏：请重新入库"), 503),
        (InputError("没有这个知识网络"), 422),
    ],
)
async def test_networks_that_cannot_be_read(failure: WenmaiError, status: int) -> None:
    """PLA-28: a store of networks that is down is said before the run, as 503."""
    [found] = await BrokenJudge(failure=failure).network_problems(Context(toolkits=["knowledge"], kn_ids=["n"]))
    assert (found.field, found.reason, found.status) == ("context.kn_ids", str(failure), status)


@pytest.mark.parametrize(
    ("failure", "field_name", "status"),
    [
        (StoreUnavailable("PostgreSQL 没有回答：请检查 POSTGRES_URI"), "context.library", 503),
        (ConfigError("EMBEDDING_MODEL: 没有这个文件夹"), "context.library", 503),
        (LibraryNotFound("没有名为 x 的资料库"), "context.library", 422),
        (InputError("没有工具"), "context.mode", 422),
    ],
)
async def test_stores_that_cannot_be_opened(failure: WenmaiError, field_name: str, status: int) -> None:
    """PLA-28: a store that is down, and a model that is missing, are said before the run."""
    [found] = await BrokenJudge(failure=failure).store_problems(Context(library="x"))
    assert (found.field, found.reason, found.status) == (field_name, str(failure), status)
