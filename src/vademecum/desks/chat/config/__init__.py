"""The chat configuration: its model, its normal form, and checks beyond the model."""
