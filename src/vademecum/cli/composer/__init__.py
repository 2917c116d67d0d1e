"""The commands of `os-image-composer`."""
