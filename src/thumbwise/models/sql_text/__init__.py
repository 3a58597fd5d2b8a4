"""A fitted model's formula as SQL text."""
