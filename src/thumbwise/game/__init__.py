"""Proofs: the game on a box, its certificate, and ranges for any prediction."""
