"""The paper: its theorems as functions, its experiments from one command."""
