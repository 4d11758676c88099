"""Commands of the command line: `add` of a module defines its options, `run` does the work."""
