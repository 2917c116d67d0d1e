"""An index in a store that several machines query: rows of segments, copying, shares."""
