"""The retrieval method, as pure functions: question analysis, passages, lexical and semantic ranking, calibration."""
