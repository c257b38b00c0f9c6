"""What the mind needs of a reader."""


def no_reader() -> None:
    """Return no reader: sentences are picked by their words."""
