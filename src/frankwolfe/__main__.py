"""Start of the command line, by ``python -m frankwolfe`` or the console script."""

import sys

from frankwolfe.interrupts import hold

__all__ = ["command"]


def command() -> int:
    """Run the command line, with Ctrl-C held back while it is imported, and return its exit code.

    An import that is broken off would print where it was; `main` lets Ctrl-C through again.
    """
    hold()
    from frankwolfe.cli import main

    return main()


if __name__ == "__main__":
    sys.exit(command())
