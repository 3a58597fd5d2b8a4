"""Scripts that measure one thing each, run in processes of their own."""
