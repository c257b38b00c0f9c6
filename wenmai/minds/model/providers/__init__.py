"""One module a provider: the roles know none of them."""

from tools.extras import require_extra
from wenmai.minds.model.client import ModelEndpoint, Provider


def provider_of(endpoint: ModelEndpoint) -> Provider:
    """Return what speaks to an endpoint; its library is loaded at the first call. Raises ConfigError."""
    if endpoint.provider == "openai":
        from wenmai.minds.model.providers.openai import OpenAIProvider

        return OpenAIProvider(endpoint)
    require_extra("gemini", "GOOGLE_API_KEY")
    from wenmai.minds.model.providers.gemini import GeminiProvider

    return GeminiProvider(endpoint)
