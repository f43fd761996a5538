"""The parts of `assign-variables`: what is written in place, how long values live, which share a variable, names."""
