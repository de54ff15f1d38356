"""The doors of costing under /api/v1/cost: jobs, breakdowns and their CSV, FOCUS, prices, budgets."""
