"""Manual pages: rating, and answers from their entries and statements."""
