"""Dense embedders that run on this machine, and the choice among all of them."""
