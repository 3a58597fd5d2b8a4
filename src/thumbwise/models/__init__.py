"""Models, one file a method."""
