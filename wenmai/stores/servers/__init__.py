"""Stores of passages, memories and documents over the points of a server, whichever server it is."""
