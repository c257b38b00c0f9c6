"""Knowledge networks that are kept here: their files, what is inferred from triples, import and export."""
