"""Files to text with places, and text to chunks. Everything here but `parser` runs in a process of its own."""
