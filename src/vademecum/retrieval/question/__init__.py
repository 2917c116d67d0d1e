"""What a question asks: its terms, its kind, what leans on the question before, slips of the keyboard."""
