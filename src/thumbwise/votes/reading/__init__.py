"""Votes as people pass them, wide or long, turned into checked class numbers."""
