"""Text to vectors, and messages to text: one module per model vendor."""
