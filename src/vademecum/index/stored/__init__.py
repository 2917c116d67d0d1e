"""An index in a store that several machines ask: rows of segments, copying, shares."""
