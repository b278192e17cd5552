"""`python -m elsewhere_lab` is `elsewhere-lab`."""

from elsewhere_lab.cli import main

if __name__ == "__main__":
    main()
