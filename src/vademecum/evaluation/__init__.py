"""The evaluation runner: cases, outcomes, figures, intervals and tables."""
