"""Whose a library on a server is: identities of catalogs, and who may change what bears one (PLA-28)."""

import asyncio
from pathlib import Path

import pytest

from tests.contracts.postgres import POSTGRES, emptied
from tests.engines import engines
from tests.temporary import copied
from tools.errors import StoreError, StoreForeign
from wenmai.cli.app import line_of
from wenmai.stores.catalog.catalog import SqliteCatalog
from wenmai.stores.catalog.postgres_catalog import PostgresCatalog
from wenmai.stores.files.owners import Owner, OwnerClaim, foreign_error

LIBRARY = "三国"
ONE, OTHER, THIRD = (Owner(id, f"DATA_DIR=/{id}") for id in ("one", "other", "third"))


@pytest.mark.parametrize("engine", engines(__name__, "sqlite", servers=(POSTGRES,)))
async def test_a_catalog_is_the_same_to_all_processes(engine: str, tmp_path: Path) -> None:
    """PLA-28: all that open one catalog have one identity, however many ask first; another catalog has another."""
    uri = emptied() if engine == POSTGRES else ""

    async def asked(folder: Path) -> Owner:
        catalog = SqliteCatalog(folder) if engine == "sqlite" else PostgresCatalog(uri)
        owner = await catalog.owner()
        assert await catalog.owner() is owner
        await catalog.close()
        return owner

    found = await asyncio.gather(*(asked(tmp_path / "one") for _ in range(8)))
    assert len(set(found)) == 1 and found[0].id
    if engine == POSTGRES:
        assert str(found[0].place).startswith("PostgreSQL ") and "@" not in str(found[0].place)  # no user, no password
        return
    assert str(tmp_path / "one") in str(found[0].place)
    assert (await asked(tmp_path / "other")).id != found[0].id
    copied(tmp_path / "one", tmp_path / "restored")
    assert (await asked(tmp_path / "restored")).id == found[0].id


async def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """PLA-28: where no identity can be kept, one line names the file and DATA_DIR."""
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(StoreError, match=r"identity\.sqlite.*DATA_DIR") as refused:
            await SqliteCatalog(folder).owner()
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("claim", "found", "expected"),
    [
        (OwnerClaim(ONE), ONE, False),
        (OwnerClaim(ONE, knows=True), None, True),
        (OwnerClaim(ONE), None, StoreForeign),
        (OwnerClaim(ONE, knows=True), OTHER, StoreForeign),
        (OwnerClaim(ONE, knows=True, transfer_from=OTHER), OTHER, True),
        (OwnerClaim(ONE, knows=True, transfer_from=OTHER), THIRD, StoreForeign),
        (OwnerClaim(ONE, knows=True, transfer_from=ONE), ONE, False),
    ],
)
def test_who_may_change_a_library(claim: OwnerClaim, found: Owner | None, expected: bool | type[StoreForeign]) -> None:
    """PLA-28: its owner, the first that knows one without a mark, and whoever takes it over from its owner."""
    if isinstance(expected, bool):
        assert claim.needs_mark("Neo4j", LIBRARY, found) is expected
        return
    with pytest.raises(StoreForeign, match="属于另一个资料库目录，没有改动它" if found else "归属标记") as refused:
        claim.needs_mark("Neo4j", LIBRARY, found)
    assert refused.value.place == (found.place if found else "")


def test_where_another_catalog_is_stands_on_the_command_line_alone() -> None:
    """PLA-28 PLA-01: host and folder of a catalog are no caller's of a server, whom the bare message reaches."""
    error = foreign_error("Neo4j", LIBRARY, OTHER)
    assert str(OTHER.place) not in str(error) and "--abandoned" in str(error)
    assert str(OTHER.place) in line_of(error)
    assert line_of(foreign_error("Neo4j", LIBRARY, None)) == str(foreign_error("Neo4j", LIBRARY, None))
