"""The routes of the HTTP API, one module a resource: each parses, calls one operation and returns its model."""
