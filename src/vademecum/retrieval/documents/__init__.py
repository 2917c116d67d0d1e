"""Documents, ranked: features, ranking, entries, and how likely the first one answers."""
