"""The commands of `ragadmin`."""
