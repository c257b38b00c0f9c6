"""The trained encoder that reads: names, references, answers and whether there is one."""
