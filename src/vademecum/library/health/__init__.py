"""Health checks of a library: components, probes, backends, and how to fix problems."""
