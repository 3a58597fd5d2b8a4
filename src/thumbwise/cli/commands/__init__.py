"""Commands as typer reads them: one light module each, which imports what computes when it is called."""
