"""The mind without a model: a few rules choose the calls, the trained reader reads."""
