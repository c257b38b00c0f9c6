"""What a finished turn reports: citations, notices, usage, trace."""
