"""Memories in the mind without a model: whether they are asked, how they are recalled, told and made."""
