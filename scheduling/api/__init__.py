"""The REST door of scheduling: shapes in shapes.py, views in jobs.py, resources.py, pipelines.py."""
