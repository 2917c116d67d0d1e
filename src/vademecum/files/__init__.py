"""Files and folders: locations, safe reading, durable writing, locks."""
