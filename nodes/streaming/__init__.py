"""What a person sees of a turn while a model writes it."""
