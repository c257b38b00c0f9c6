"""Prompts, in Chinese and English."""
