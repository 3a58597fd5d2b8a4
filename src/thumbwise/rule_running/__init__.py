"""Running labeling functions over items."""
