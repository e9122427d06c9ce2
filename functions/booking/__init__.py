"""The booking bot: confirmations that know the customer and never say what the record does not."""
