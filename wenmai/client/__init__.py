"""The operations of a running server, over its HTTP API: the same interface as `wenmai.application`."""
