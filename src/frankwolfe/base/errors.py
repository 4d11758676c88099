"""The exceptions of the library: each message is one sentence that says what is right.

- `InvalidInput`: an argument is wrong
- `CheckpointError`: a checkpoint cannot be read, or belongs to another run
- `Unproven`: no bound can be proved
- `MissingExtra`: an optional dependency is not installed
- `Unreachable`: the device or cluster with the data is gone
"""

from __future__ import annotations

__all__ = ["CheckpointError", "InvalidInput", "MissingExtra", "Unproven", "Unreachable"]


class InvalidInput(ValueError):
    """An argument is wrong; the message names it, what it is, and what would be right."""


class CheckpointError(InvalidInput):
    """A checkpoint cannot be read, or belongs to another run."""


class Unproven(InvalidInput):
    """Raised where no bound can be proved; the message says why."""


class Unreachable(RuntimeError):
    """The device or cluster that holds the data is gone; the message says what to do."""


class MissingExtra(ImportError):
    """An optional dependency is absent; the message says which extra brings it."""

    def __init__(self, purpose: str, package: str, extra: str) -> None:
        super().__init__(
            f"{purpose} needs {package}, which is not installed: "
            f'run pip install "frankwolfe[{extra}]".',
            name=package,
        )
