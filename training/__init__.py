"""How the reader is made: data, training, evaluation, export. The product never imports it."""
