"""What a model is shown of the results of calls."""
