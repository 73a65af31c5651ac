import sys

from mcsvm_gui.app import main

sys.exit(main())
