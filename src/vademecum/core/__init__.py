"""What every room may import: types, Protocols, errors, settings as data, the trace.

Standard library only, and no input or output.
"""
