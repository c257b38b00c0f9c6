"""Dense vectors from the Gemini API, behind the Embedder port."""

import asyncio
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from langchain_core.rate_limiters import BaseRateLimiter
from pydantic import SecretStr

from tools.errors import ModelError
from tools.extras import require_extra
from tools.messages import say
from tools.story.windows import Embedded
from wenmai.embedders.local import QueryCache
from wenmai.minds.model.caller import too_slow
from wenmai.minds.model.client import ModelEndpoint, ModelSettings
from wenmai.minds.model.patience import PATIENCE, Patience, retrying
from wenmai.minds.model.providers.gemini import GEMINI, mapped_errors, quieten

if TYPE_CHECKING:
    from langchain_google_genai import GoogleGenerativeAIEmbeddings

VARIABLE = "EMBEDDING_MODEL"
BATCH = 100  # the service takes no more texts in one request
BLANK = " "  # an empty text is refused


@dataclass(slots=True)
class GeminiEmbedder:
    """Embeds texts by a Gemini model; its name and dimension are recorded with each library.

    A query is embedded without retries, because its caller retries; passages are retried here.
    """

    endpoint: ModelEndpoint
    name: str
    dimension: int
    patience: Patience = PATIENCE
    limiter: BaseRateLimiter | None = None
    _queries: QueryCache = field(default_factory=QueryCache, repr=False)
    _client: "GoogleGenerativeAIEmbeddings | None" = field(default=None, repr=False)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)

    def expect_queries(self, texts: Sequence[str]) -> None:
        """Do nothing: an unused query would cost money."""

    async def embed_query(self, text: str) -> list[float]:
        """Embed a search query; a repeated one comes from a cache. Raises ModelError."""
        kept = self._queries.get(text)
        if kept is not None:
            return kept
        client = await self._opened()
        with self._mapped_errors():
            async with asyncio.timeout(self.endpoint.client_timeout_s):
                vector = await client.aembed_query(text or BLANK)
        made = self._checked([vector], 1)[0]
        self._queries.put(text, made)
        return made

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        found: list[list[float]] = []

        async def embedded(batch: list[str]) -> list[list[float]]:
            client = await self._opened()
            with self._mapped_errors():
                if self.limiter:
                    await self.limiter.aacquire()
                # The library has no setting for it, and its SDK overrides the HTTP client's.
                async with asyncio.timeout(self.endpoint.client_timeout_s):
                    vectors = await client.aembed_documents(batch, batch_size=BATCH)
            return self._checked(vectors, len(batch))

        for at in range(0, len(texts), BATCH):
            found += await retrying(self.patience)(embedded, [text or BLANK for text in texts[at : at + BATCH]])
        return found

    async def embed_windows(self, texts: Sequence[str]) -> list[Embedded]:
        """Embed passages, in order, each as a whole. Raises ModelError."""
        return [Embedded(vector) for vector in await self.embed_passages(texts)]

    async def close(self) -> None:
        """Close the connections; to be called on the loop that used them."""
        client, self._client = self._client, None
        if client is not None:
            await client.client.aio.aclose()
            client.client.close()

    def _checked(self, vectors: Sequence[Sequence[float]], wanted: int) -> list[list[float]]:
        """Return unit vectors; the service does not normalise shortened ones. Raises ModelError."""
        wrong = {len(vector) for vector in vectors} - {self.dimension}
        if wrong or len(vectors) != wanted:
            asked = {"model": self.name, "wanted": wanted, "dimension": self.dimension, "variable": VARIABLE}
            length = min(wrong, default=self.dimension)
            raise ModelError(say("model.wrong_vectors", found=len(vectors), length=length, **asked))
        lengths = [math.hypot(*vector) or 1.0 for vector in vectors]
        return [[value / length for value in vector] for vector, length in zip(vectors, lengths, strict=True)]

    @contextmanager
    def _mapped_errors(self) -> Iterator[None]:
        """Map the library's errors, which wrap every failure, to ModelError."""
        from langchain_google_genai._common import GoogleGenerativeAIError

        settings = ModelSettings(id=self.name, variable=VARIABLE, prefix="EMBEDDING")
        with mapped_errors(settings):
            try:
                yield
            except GoogleGenerativeAIError as error:
                raise error.__cause__ or error from error.__cause__
            except TimeoutError as error:
                raise too_slow(GEMINI, settings) from error

    async def _opened(self) -> "GoogleGenerativeAIEmbeddings":
        async with self._lock:
            if self._client is None:
                self._client = await asyncio.to_thread(self._built)
            return self._client

    def _built(self) -> "GoogleGenerativeAIEmbeddings":
        require_extra("gemini", VARIABLE)
        from langchain_google_genai import GoogleGenerativeAIEmbeddings

        quieten()
        return GoogleGenerativeAIEmbeddings(
            model=self.name,
            api_key=SecretStr(self.endpoint.key),
            base_url=self.endpoint.base_url,
            vertexai=False,
            output_dimensionality=self.dimension,
        )
