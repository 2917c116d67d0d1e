"""The question path: answers, search results, and passages."""
