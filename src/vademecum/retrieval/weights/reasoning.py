"""How the reasoning desk weighs what it measures, as fitted by `training/reasoning.py`. Generated: do not edit."""

RANK_WEIGHTS = (
    0.2922,
    1.729,
    1.629,
    3.479,
    0.8114,
    1.613,
    0.03442,
    5.906,
)
FIT_WEIGHTS = (
    -9.318,
    -0.5759,
    -1.403,
    0.9823,
    0.2785,
    0.3498,
    4.513,
    -4.625,
    -6.378,
    -4.794,
    -1.997,
    -2.812,
    -2.971,
    -3.502,
)
BORDER = 0.884
