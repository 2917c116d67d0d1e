"""Metrics, intervals and reports. A desk's runner asks the questions and hands over one `Result` for each."""
