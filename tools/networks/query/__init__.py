"""Conditions, counts and figures over the instances of a network."""
