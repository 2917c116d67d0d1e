"""How a request is read: one module for each kind of thing that people ask for, each taking out of the text what it understood."""
