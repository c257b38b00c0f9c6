"""Data folders that earlier versions wrote."""
