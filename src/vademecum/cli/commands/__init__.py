"""The commands of `vademecum`."""
