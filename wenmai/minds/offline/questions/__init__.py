"""Questions taken apart: kinds, names, words, quoted words, events in order."""
