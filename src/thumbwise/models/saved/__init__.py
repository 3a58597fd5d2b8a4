"""What a saved model holds, and how it is checked."""
