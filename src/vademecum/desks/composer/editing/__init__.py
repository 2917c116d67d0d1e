"""Changes of a template: each makes one wish true, or says why not."""
