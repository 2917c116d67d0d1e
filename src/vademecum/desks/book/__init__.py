"""The book desk: questions about books, answered from a whole book or from selected text."""
