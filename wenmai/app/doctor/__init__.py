"""What `wenmai doctor` looks at."""
