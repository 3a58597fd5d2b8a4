"""What is known: moments, gold and how it was drawn, and the box of intervals they give."""
