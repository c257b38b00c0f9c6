"""Before a run its networks are looked for: all at once, those of a service not again for a while."""

from pathlib import Path

import pytest

from tests.networks.rig import CLINIC, DATA, LIN, Hands
from tests.ontology_service.server import OntologyServer
from tools.errors import InputError
from tools.networks.lexicon import NetworkSelection
from wenmai.knowledge.files import read_network
from wenmai.stores.networks.local import LocalKnowledge, import_content
from wenmai.stores.networks.networks import CHECKED_S, KnowledgeNetworks, NetworkChecks
from wenmai.stores.networks.service import KnowledgeService, ServiceEndpoint


async def test_a_service_is_not_asked_before_every_run(tmp_path: Path) -> None:
    """KNO-07: a schema that was there is not fetched again within a minute; an unknown network is, and is an error."""
    clock = Hands()
    with OntologyServer.of(DATA / CLINIC) as server:
        service = KnowledgeService(ServiceEndpoint(server.query_base, server.manager_base))
        known = NetworkChecks(KnowledgeNetworks(LocalKnowledge(tmp_path), service), clock)
        for _ in range(3):
            await known.require(NetworkSelection((CLINIC,), LIN))
        assert len(server.requests) == 1
        clock.seconds += CHECKED_S
        await known.require(NetworkSelection((CLINIC,), LIN))
        assert len(server.requests) == 2
        for _ in range(2):
            with pytest.raises(InputError, match="atlantis"):
                await known.require(NetworkSelection((CLINIC, "atlantis"), LIN))
        assert len(server.requests) == 4
        await service.close()


async def test_a_deleted_network_is_missed_at_once(tmp_path: Path) -> None:
    """PLA-08: what is kept here is looked up each time."""
    local = LocalKnowledge(tmp_path)
    import_content(local.folders, read_network(DATA / CLINIC, None), lambda done, total: None)
    known = NetworkChecks(KnowledgeNetworks(local, None))
    await known.require(NetworkSelection((CLINIC,), LIN))
    local.folders.remove(CLINIC)
    with pytest.raises(InputError, match=CLINIC):
        await known.require(NetworkSelection((CLINIC,), LIN))
    await local.close()
