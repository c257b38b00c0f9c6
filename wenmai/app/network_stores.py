"""Who keeps one's own knowledge networks, by the settings."""

from wenmai.knowledge.keeping import KnowledgeStore
from wenmai.settings.settings import Settings
from wenmai.stores.neo4j.connection import Neo4jConnection
from wenmai.stores.networks.local import LocalKnowledge
from wenmai.stores.networks.neo4j import Neo4jKnowledge


def knowledge_store_of(settings: Settings, neo4j: Neo4jConnection | None) -> KnowledgeStore:
    """Return the keeper of the networks: a Neo4j server where there is one, else files below DATA_DIR."""
    return Neo4jKnowledge(neo4j) if neo4j else LocalKnowledge(settings.data_dir)
