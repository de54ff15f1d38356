"""Writes of costing: price books, metering into the ledger, what is due."""
