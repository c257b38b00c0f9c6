"""Questions about the book as a whole: its people, its chapters, who tells it."""
