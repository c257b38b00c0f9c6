"""The chapters of a story: their headings, and what some of them tell."""
