"""List prices of models, in USD per million tokens."""

from datetime import date

from nodes.policy import Price

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


def prices_on(day: date) -> dict[str, Price]:
    """Return the list prices of a day, by model id."""
    return KNOWN_PRICES | (NEXT_PRICES if day >= NEXT_PRICES_FROM else {})
