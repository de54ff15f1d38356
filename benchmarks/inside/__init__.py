"""The halves of benchmarks that use Django: importing this package makes it ready.

Run through benchmarks.backing, which puts the addresses of private servers into the environment.
"""

import django

django.setup()
