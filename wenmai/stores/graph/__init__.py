"""The story graph, on Ladybug or Neo4j."""
