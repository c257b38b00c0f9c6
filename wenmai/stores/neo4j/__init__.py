"""The connection to a Neo4j server: drivers, errors, constraints and indexes."""
