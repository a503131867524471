"""`python -m convotui`."""

from convotui.cli import main

if __name__ == "__main__":
    main()
