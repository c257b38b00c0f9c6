"""From files to passages and graph."""
