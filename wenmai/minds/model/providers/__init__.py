"""One module a provider: the roles know none of them."""

from wenmai.minds.model.client import ModelEndpoint, Provider


def provider_of(endpoint: ModelEndpoint) -> Provider:
    """Return what speaks to an endpoint; its library is loaded at the first call."""
    if endpoint.provider == "openai":
        from wenmai.minds.model.providers.openai import OpenAIProvider

        return OpenAIProvider(endpoint)
    from wenmai.minds.model.providers.gemini import GeminiProvider

    return GeminiProvider(endpoint)
