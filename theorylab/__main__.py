"""``python -m theorylab``: the command line, also where no script is installed."""

from theorylab.cli import main

if __name__ == "__main__":
    main()
