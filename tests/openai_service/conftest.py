"""The service's own tests use its fixtures."""

from tests.openai_service.fixtures import openai, openai_server

__all__ = ["openai", "openai_server"]
