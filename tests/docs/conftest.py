"""A folder as a reader of the documentation has it after `make demo`."""
