"""Tables in, matplotlib axes out: one file a subject. :mod:`thumbwise.plots` has the public names."""
