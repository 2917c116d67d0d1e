"""Health checks of a library: components, probes, back ends, and how to fix problems."""
