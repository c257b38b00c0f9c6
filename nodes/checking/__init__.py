"""What code can say of a draft before anyone grades it: marks, quotations, numbers, names, addresses."""
