"""Commands and what they do, one file a command."""
