"""Servers on loopback for the suites of the server engines; the product itself never imports this."""
