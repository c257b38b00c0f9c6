"""Which calls an attempt makes."""
