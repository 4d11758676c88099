"""Random problems of every kind, and a judge that takes from the library only its answers."""
