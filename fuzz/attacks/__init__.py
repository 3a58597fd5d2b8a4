"""Attacks of a hostile user on the command line: ``python -m fuzz.attacks`` tries all and counts what went wrong."""
