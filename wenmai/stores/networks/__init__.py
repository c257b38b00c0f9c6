"""Knowledge networks: kept here, on Neo4j, or asked of a service."""
