"""What all groups of settings share: where values come from, and what counts as unset."""

from typing import Any

from pydantic import model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

# In a prefix and in a password blanks may be meant.
BLANKS_COUNT = frozenset({"embedding_query_prefix", "embedding_passage_prefix", "neo4j_password"})
PREFIXES = frozenset({"embedding_query_prefix", "embedding_passage_prefix"})


class Group(BaseSettings):
    """Settings of one subject; every field is an environment variable of the same name, in capitals."""

    model_config = SettingsConfigDict(
        env_file=".env",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        validate_default=True,
        validate_by_name=True,
    )

    @model_validator(mode="before")
    @classmethod
    def blank_is_unset(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Drop blank texts, so that the default holds, and strip the blanks around the others."""
        texts = {key: value for key, value in given.items() if isinstance(value, str)}
        blank = {key for key, value in texts.items() if not value.strip() and key.lower() not in PREFIXES}
        stripped = {key: value.strip() for key, value in texts.items() if key.lower() not in BLANKS_COUNT}
        return {key: stripped.get(key, value) for key, value in given.items() if key not in blank}
