"""Where the chapters of a story begin, and what in its text is no story."""
