"""How does a person or a script use the platform from a terminal? Thin: REST in, plain lines out; needs only httpx."""
