"""A Qdrant server's REST interface over the client's local mode: what the product asks, on a real socket."""
