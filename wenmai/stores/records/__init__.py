"""Payloads, row orders and guards that every engine shares."""
