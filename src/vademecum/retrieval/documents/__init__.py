"""Documents: features, ranking, entries, and calibration."""
