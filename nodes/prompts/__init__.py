"""What models are told, in Chinese and English."""
