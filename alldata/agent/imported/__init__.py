"""How do saved command outputs become a node in the portal, before anything is installed?"""
