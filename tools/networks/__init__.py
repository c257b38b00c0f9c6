"""Typed knowledge networks as the agent asks them: schema recall, then keyword context (knowledge.md §2-8)."""
