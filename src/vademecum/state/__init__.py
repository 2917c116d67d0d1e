"""State kept between calls: conversations, and SQLite tables that services share."""
