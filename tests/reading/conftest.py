"""The loopback services for tests of ingestion."""

from tests.gemini.fixtures import gemini, gemini_server
from tests.openai_service.fixtures import openai, openai_server, service

__all__ = ["gemini", "gemini_server", "openai", "openai_server", "service"]
