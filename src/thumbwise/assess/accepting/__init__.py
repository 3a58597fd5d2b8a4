"""Accepting: which labels may be taken as they are, with a proof, and which a person should look at."""
