"""How much each signal of nearness counts, as fitted by `training/templates.py`. Generated: do not edit."""

NEARNESS = (0.2379, 0.2446, 0.1949, 0.07641, 0.1398, 0.1064)
