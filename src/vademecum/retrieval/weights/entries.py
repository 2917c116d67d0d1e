"""What each measure of an entry is worth, as fitted by `training/entries.py`. Generated: do not edit."""

WEIGHTS = (1.77, 0.83, 1.38, 1.33, 1.04, 1.36, 1.38, 0.46, 2.04, -0.33, 0.20)
