"""The loopback Gemini for tests of ingestion."""

from tests.gemini.fixtures import gemini, gemini_server

__all__ = ["gemini", "gemini_server"]
