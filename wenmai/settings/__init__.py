"""Settings of a process, read from the environment."""
