"""Manual pages: rated, and answered from their entries and statements."""
