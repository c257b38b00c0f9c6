"""The page of the server: a reader's desk in the browser; README.md says how it is made."""
