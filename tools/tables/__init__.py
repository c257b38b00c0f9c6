"""What tools compute over rows of tables: conditions, sums, groups."""
