"""The tools for direct callers: other agents and programs call them without a run and get objects."""
