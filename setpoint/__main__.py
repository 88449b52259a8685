"""`python -m setpoint` is the `setpoint` command."""

import sys

from setpoint.cli import main

sys.exit(main())
