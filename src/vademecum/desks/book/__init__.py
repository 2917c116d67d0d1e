"""The book desk: questions to books, answered from their passages, over the whole book or a selection of it."""
