"""What all groups of settings share: where values come from, and what counts as unset."""

from typing import Any

from pydantic import AliasChoices, model_validator
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, SettingsConfigDict

# Blanks may be meant in these.
PREFIXES = frozenset({"embedding_query_prefix", "embedding_passage_prefix"})
BLANKS_COUNT = PREFIXES | {"neo4j_password"}


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
    def without_blanks(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Drop texts of blanks alone, so that the default holds, and strip the blanks around the others.

        The sources drop empty variables. An empty text is a keyword's: it unsets an optional setting, and is left for
        its field to refuse where there must be a value.
        """
        texts = {key: value for key, value in given.items() if isinstance(value, str)}
        blank = {key for key, value in texts.items() if not value.strip() and key.lower() not in PREFIXES}
        dropped = {key for key in blank if given[key] or key.lower() not in cls.with_defaults()}
        stripped = {key: value.strip() for key, value in texts.items() if key.lower() not in BLANKS_COUNT}
        return {key: stripped.get(key, value) for key, value in given.items() if key not in dropped}

    @classmethod
    def with_defaults(cls) -> set[str]:
        """Return the names, in lower case, of the settings that always have a value, under all their variables."""
        fields = {name: field for name, field in cls.model_fields.items() if field.default is not None}
        return {key.lower() for name, field in fields.items() for key in (name, *variables(name, field))}


def variables(name: str, field: FieldInfo) -> list[str]:
    """Return the names of a setting's variable; the first one wins."""
    alias = field.validation_alias
    return [str(choice) for choice in alias.choices] if isinstance(alias, AliasChoices) else [name.upper()]
