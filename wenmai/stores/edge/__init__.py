"""The embedded vector engine (Qdrant Edge) behind the ports."""
