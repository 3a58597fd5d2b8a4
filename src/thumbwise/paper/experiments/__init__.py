"""The paper's experiments: what is fitted, a runner that can be interrupted and resumed, and the tables made of it."""
