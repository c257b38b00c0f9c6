"""The door for chat clients that speak OpenAI's protocol: `/v1/chat/completions` and `/v1/models`."""
