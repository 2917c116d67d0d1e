"""The weights of the similarity signals, fitted by `training/templates.py`. Generated: do not edit."""

NEARNESS = (0.2556, 0.2693, 0.2401, 0.07896, 0.1561)
