"""The subcommands of the command line, one a file: `add` registers it, `run` does it."""
