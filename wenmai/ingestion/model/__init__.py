"""Chapters read by a language model."""
