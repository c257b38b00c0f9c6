"""Rules instead of a model: no key, no network, deterministic."""
