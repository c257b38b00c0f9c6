"""What the agent can do: tools over stores, and the ports that stores fill."""
