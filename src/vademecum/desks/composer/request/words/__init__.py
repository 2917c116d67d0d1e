"""The words of a request: tokens, what each may mean, spelling, and what is asked for or ruled out."""
