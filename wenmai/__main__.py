"""`python -m wenmai`: the command line, where its script is not on the path."""

from wenmai.cli import main

if __name__ == "__main__":
    main()
