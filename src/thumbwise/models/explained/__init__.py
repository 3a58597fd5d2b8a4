"""Explanations: what a prediction is made of, and how that is said."""
