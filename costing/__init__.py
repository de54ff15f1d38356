"""What it cost: prices, rating, the ledger, and what people read from it."""
