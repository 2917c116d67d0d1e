"""The composer desk: turn a plain-language request into a valid OS image template, and refine it in conversation."""
