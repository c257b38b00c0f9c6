"""How the offline mind asks typed knowledge networks: by their own names, labels and values."""
