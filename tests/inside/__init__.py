"""Programs that tests start and kill. Importing this package makes Django ready."""

import django

django.setup()
