"""Every statement of dfedalt and dfedsalt (one paper), measured against its bound, with pages.

python verify/dfedalt.py [--quick] [--out DIR] ...   takes the options of `theorylab verify`
"""

import sys

from theorylab.cli import run

if __name__ == "__main__":
    sys.exit(run(["verify", "dfedalt.*", "dfedsalt.*", *sys.argv[1:]]))
