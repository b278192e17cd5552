"""`python -m elsewhere` is the `elsewhere` program."""

from elsewhere.cli import main

if __name__ == "__main__":
    main()
