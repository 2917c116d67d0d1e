"""Documents that are handed over: files, zips and records become folders of a collection."""
