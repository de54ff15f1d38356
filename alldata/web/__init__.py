"""What every HTTP door shares: authentication, headers, problems, htmx."""
