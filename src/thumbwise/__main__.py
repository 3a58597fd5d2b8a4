"""The command line, for ``python -m thumbwise``."""

from thumbwise.cli.main import main

if __name__ == "__main__":
    main()
