"""The question path: from a question to an answer, its search results, and the passages behind it."""
