"""The document path: from the catalog's sources to an index, in generations, and how one is read."""
