"""What the mind without a model does with uploaded documents beside reading them."""
