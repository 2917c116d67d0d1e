"""What is wrong with a library, and what to do about it: components, probes, back-ends."""
