"""Read a request in one pass: tokens, clauses, wishes, and what each word was used for."""
