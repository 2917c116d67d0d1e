"""Types, protocols, errors, settings and the trace, which every package may import.

Only the standard library is used, and no input or output.
"""
