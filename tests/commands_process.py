"""Commands of a site in turn, in one process that starts once; prints what each said as JSON."""

import json
import sys
from contextlib import redirect_stdout
from io import StringIO

from piev_site.command import main

printed = []
for words in json.load(sys.stdin):
    sys.argv = ["manage.py", *words]
    with redirect_stdout(StringIO()) as out:
        main()
    printed.append(out.getvalue())
json.dump(printed, sys.stdout)
