"""Files and folders: where things are kept, and how they are written so that nothing is lost."""
