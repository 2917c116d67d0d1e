"""The numbers of the method, fitted by the recipes in `training/`."""
