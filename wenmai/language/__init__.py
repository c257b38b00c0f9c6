"""Segmenting, words, numerals."""
