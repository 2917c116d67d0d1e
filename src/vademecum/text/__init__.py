"""Words, terms and offsets of text. This room does not depend on documents."""
