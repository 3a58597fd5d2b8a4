"""Engines that hold the items of lazy votes: what differs between them, and what they are asked to compute."""
