"""Reading a request: one pass over its words, from tokens over clauses to wishes, with an account of every word."""
