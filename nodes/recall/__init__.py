"""The steps of a recall: the smaller graph that looks for memories of a user."""
