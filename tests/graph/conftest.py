"""The loopback Gemini for the graph's tests."""

from tests.gemini.fixtures import gemini, gemini_server

__all__ = ["gemini", "gemini_server"]
