"""What is remembered between calls: conversations, and the tables of SQLite that services share."""
