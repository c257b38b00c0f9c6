"""Who may use the server: API keys, hashed, each of one user."""
