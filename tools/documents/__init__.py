"""The tools over uploaded documents, their records and their scores."""
