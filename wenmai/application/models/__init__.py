"""What operations take and return: one set of models for Python, HTTP and the client of a running server."""
