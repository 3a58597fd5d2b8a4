"""Models written as SQL."""
