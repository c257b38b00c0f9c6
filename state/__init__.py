"""What the agent knows: plain data, no I/O."""
