"""Settings of the stores: the folder of the embedded engines, and the servers that replace them."""

import re
from pathlib import Path
from typing import Literal, Self

from pydantic import AliasChoices, Field, SecretStr, ValidationInfo, field_validator

from wenmai.settings.group import AbsolutePath, BoltAddress, HeaderKey, HttpAddress, PostgresAddress, SettingsGroup

# Cypher manual, database names; what begins with "system" is Neo4j's own.
NEO4J_DATABASE = re.compile(r"(?i)(?!system)[a-z][a-z0-9.-]{1,61}[a-z0-9]")


class StoreGroup(SettingsGroup):
    """Stores: libraries, memories, documents, threads and knowledge networks."""

    data_dir: AbsolutePath = Field(default=Path(".wenmai"), description="Folder of embedded stores and checkpoints")
    disk_reserve_mb: int = Field(
        default=256,
        ge=0,
        description="Megabytes of DATA_DIR's disk that stay free: with less left nothing is written, reading goes on",
    )
    kept_checkpoints: int = Field(
        default=20,
        ge=1,
        description="Turns of each thread whose ends are kept; older ones are deleted after a turn",
    )
    kept_steps: int = Field(
        default=5,
        ge=0,
        description="Turns of each thread whose steps are kept, for replay and forks in LangGraph and Studio; "
        "`wenmai serve` keeps ends alone",
    )
    qdrant_url: HttpAddress | None = Field(
        default=None, description="Qdrant server for passages, documents and memories; unset: embedded in DATA_DIR"
    )
    qdrant_host: str | None = Field(default=None, description="Host of the Qdrant server, in place of QDRANT_URL")
    qdrant_port: int = Field(default=6333, ge=1, le=65535, description="REST port that goes with QDRANT_HOST")
    qdrant_api_key: HeaderKey | None = Field(default=None, description="API key of the Qdrant server")
    qdrant_timeout_s: float = Field(default=10.0, gt=0, description="Seconds for one request to Qdrant")
    collection_name: str = Field(
        default="stories",
        pattern=r"^[0-9A-Za-z_.-]{1,64}$",
        description="Beginning of the names of collections of passages on servers: `<COLLECTION_NAME>_<embedder>`",
    )
    postgres_uri: PostgresAddress | None = Field(
        default=None,
        description="PostgreSQL server for checkpoints, and beside QDRANT_URL or VECTORS for the catalog of libraries; "
        "unset: SQLite in DATA_DIR",
    )
    vectors: Literal["postgres"] | None = Field(
        default=None,
        description="`postgres`: passages, documents and memories in the database of POSTGRES_URI, by pgvector; "
        "unset: on Qdrant where QDRANT_URL is set, else embedded in DATA_DIR",
    )
    neo4j_uri: BoltAddress | None = Field(
        default=None, description="Neo4j server for story graphs and knowledge networks; unset: embedded in DATA_DIR"
    )
    neo4j_user: str = Field(
        default="neo4j",
        min_length=1,
        validation_alias=AliasChoices("NEO4J_USER", "NEO4J_USERNAME"),
        description="User on the Neo4j server",
    )
    neo4j_password: SecretStr | None = Field(
        default=None, description="That user's password; needed where NEO4J_URI is set"
    )
    neo4j_database: str | None = Field(
        default=None, description="Database on the Neo4j server; unset: the user's home database"
    )
    knowledge_network_query_api_base: HttpAddress | None = Field(
        default=None,
        description="Service that answers queries on knowledge networks (ontology-query); unset: only networks that "
        "are stored here",
    )
    knowledge_network_api_base: HttpAddress | None = Field(
        default=None, description="Service that holds the networks' schemas (ontology-manager)"
    )
    knowledge_network_token: HeaderKey | None = Field(
        default=None, description="Bearer token for the services' external routes, which end in /v1"
    )
    knowledge_network_business_domain: str | None = Field(
        default=None, description="Sent to the services as the header x-business-domain"
    )

    @field_validator("vectors")
    @classmethod
    def has_its_server(cls, vectors: str | None, info: ValidationInfo) -> str | None:
        """Refuse vectors in PostgreSQL without a server, and beside Qdrant."""
        if vectors is not None and not info.data.get("postgres_uri"):
            raise ValueError("needs POSTGRES_URI, a database with the extension pgvector")
        if vectors is not None and (info.data.get("qdrant_url") or info.data.get("qdrant_host")):
            raise ValueError("does not go with QDRANT_URL or QDRANT_HOST: unset one of them")
        return vectors

    @field_validator("neo4j_database")
    @classmethod
    def may_be_a_database(cls, name: str | None) -> str | None:
        """Refuse names that Neo4j gives to no database, and those of its own databases, which hold no data."""
        if name is not None and not NEO4J_DATABASE.fullmatch(name):
            raise ValueError("must be a database of yours: 3 to 63 ASCII letters, digits, dots, dashes; a letter first")
        return name

    @field_validator("neo4j_password")
    @classmethod
    def goes_with_its_server(cls, password: SecretStr | None, info: ValidationInfo) -> SecretStr | None:
        """Refuse a server without a password: user and password are always passed."""
        if password is None and info.data.get("neo4j_uri"):
            raise ValueError("must be set where NEO4J_URI is")
        return password

    @property
    def qdrant_address(self) -> str | None:
        return self.qdrant_url or (f"http://{self.qdrant_host}:{self.qdrant_port}" if self.qdrant_host else None)

    @property
    def has_server_vectors(self) -> bool:
        return self.qdrant_address is not None or self.vectors is not None

    @property
    def has_servers(self) -> bool:
        return self.has_server_vectors or self.neo4j_uri is not None

    @property
    def shares_libraries(self) -> bool:
        """Whether no engine holds a library's folder: passages and graph are both on servers."""
        return self.has_server_vectors and self.neo4j_uri is not None

    @property
    def has_postgres_catalog(self) -> bool:
        """Whether PostgreSQL keeps the catalog: it does where passages are on a server, too."""
        return self.postgres_uri is not None and self.has_server_vectors

    @property
    def has_knowledge_service(self) -> bool:
        return bool(self.knowledge_network_query_api_base or self.knowledge_network_api_base)

    def without_servers(self) -> Self:
        """Return the same settings with every store in DATA_DIR."""
        addresses = ("qdrant_url", "qdrant_host", "neo4j_uri", "postgres_uri", "vectors")
        return self.model_copy(update=dict.fromkeys(addresses))
