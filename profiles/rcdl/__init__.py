"""RCDL, the resource capability description language: text in, Document or located errors out."""
