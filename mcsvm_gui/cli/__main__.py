import sys

from mcsvm_gui.cli import main

sys.exit(main())
