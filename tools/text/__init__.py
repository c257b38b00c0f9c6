"""What a text is made of: sentences, scripts."""
