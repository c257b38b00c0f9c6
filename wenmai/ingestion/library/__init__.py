"""A library's stored state: what is written, kept, merged and hidden."""
