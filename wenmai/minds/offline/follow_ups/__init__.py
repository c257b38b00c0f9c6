"""Follow-ups: a question that goes on with a talk is made to stand by itself."""
