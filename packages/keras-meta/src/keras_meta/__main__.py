"""`python -m keras_meta script.py`: see `keras_meta.run`."""

import sys

from keras_meta.run import main

sys.exit(main(sys.argv[1:]))
