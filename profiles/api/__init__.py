"""The REST doors of profiles: documents (profiles.py), the language (language.py), hardware (knowledge.py)."""
