"""The catalogue of libraries, in SQLite or PostgreSQL, and the cache of model answers."""
