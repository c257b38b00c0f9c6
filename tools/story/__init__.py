"""The tools over stories, and how names in a text are linked to entities."""
