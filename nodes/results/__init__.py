"""The report of a finished turn: citations, notices, usage, result record, trace."""
