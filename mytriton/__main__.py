"""`python -m mytriton script.py`: runs a program that was written for Triton."""

import sys

from mytriton.drop_in.command import main

if __name__ == "__main__":
    sys.exit(main())
