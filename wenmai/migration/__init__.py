"""Moving libraries, memories and documents between embedded engines and servers; nothing is embedded again."""
