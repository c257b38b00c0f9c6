"""The two implementations of the roles."""
