"""Memories of a user: records, keywords, scores, ranking, and the service that changes them."""
