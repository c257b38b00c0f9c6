"""The service's own tests use its fixtures."""

from tests.gemini.fixtures import gemini, gemini_server

__all__ = ["gemini", "gemini_server"]
