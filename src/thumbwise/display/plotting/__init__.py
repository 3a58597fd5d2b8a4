"""Tables in, matplotlib axes out: one file a subject. :mod:`thumbwise.display.plots` has the public names."""
