"""The surroundings: settings, stores, minds, ingestion, command line, server."""
