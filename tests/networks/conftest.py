"""The port that the tool is tried on: the fake, and every adapter, with equal results."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.fake_knowledge import FakeKnowledgeNetwork
from tests.gemini.fixtures import gemini, gemini_server
from tests.networks.rig import CLINIC, DATA, NetworkRig, fake_clinic
from tests.ontology_service.server import OntologyServer
from wenmai.knowledge.files import read_network
from wenmai.stores.networks.local import KnowledgeFolders, LocalKnowledge, import_content
from wenmai.stores.networks.service import KnowledgeService, ServiceEndpoint

__all__ = ["gemini", "gemini_server"]

Kept = FakeKnowledgeNetwork | Path | OntologyServer


@pytest.fixture(scope="module", params=["fake", "local", "older", "newer"])
def kept(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    """Whoever keeps the network `clinic`: the fake, the files of a local one, a service of either generation."""
    if request.param == "fake":
        yield fake_clinic()
    elif request.param == "local":
        folder = tmp_path_factory.mktemp("local")
        import_content(KnowledgeFolders(folder), read_network(DATA / CLINIC, None), lambda done, total: None)
        yield folder
    else:
        with OntologyServer.of(DATA / CLINIC, generation=request.param) as server:
            yield server


@pytest.fixture
async def rig(kept: Kept) -> AsyncIterator[NetworkRig]:
    """A session with the network `clinic` behind each port."""
    if isinstance(kept, FakeKnowledgeNetwork):
        yield NetworkRig(kept)
        return
    if isinstance(kept, Path):
        opened: LocalKnowledge | KnowledgeService = LocalKnowledge(kept)
    else:
        opened = KnowledgeService(ServiceEndpoint(query_base=kept.query_base, manager_base=kept.manager_base))
    yield NetworkRig(opened)
    await opened.close()
