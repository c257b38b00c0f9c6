"""Traces, LangSmith, metrics."""
