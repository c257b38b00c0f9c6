"""Passages: where chapters are cut, what each is tagged with."""
