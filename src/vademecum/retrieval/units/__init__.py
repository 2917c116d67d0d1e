"""Sentences, list items and table rows: features, ranking, and calibration."""
