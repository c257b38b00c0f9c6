"""A library, and the loopback service that a small model answers behind."""

from tests.openai_service.fixtures import openai, openai_server

__all__ = ["openai", "openai_server"]
