"""PostgreSQL behind the ports of vectors, with its extension pgvector, and connections to it."""
