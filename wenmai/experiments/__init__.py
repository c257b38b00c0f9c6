"""Questions with gold answers, run and measured."""
