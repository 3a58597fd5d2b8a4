"""One self-contained HTML page about a fit: what is proved, what each rule does, which items to look at."""
