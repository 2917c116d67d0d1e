"""The document path: build an index from the sources in the catalog, publish generations, and read them."""
