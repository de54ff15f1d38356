"""`alldata`: which module answers a command? Each brings only what it needs.

`rcdl` works without a network library, `jobs` and the like without a YAML reader, so the module is
chosen by name and loaded then.
"""

import importlib
import sys
from collections.abc import Mapping

REMOTE = "alldata.cli.remote"
LOCAL: Mapping[str, str] = {"rcdl": "alldata.cli.rcdl"}
HINTS: Mapping[str, str] = {"yaml": ": pip install 'alldata[rcdl]'"}


def main(words: list[str] | None = None) -> int:
    """The exit status of the command."""
    given = sys.argv[1:] if words is None else words
    own = LOCAL.get(given[0]) if given else None
    try:
        status: int = importlib.import_module(own or REMOTE).main(given[1:] if own else given)
    except ModuleNotFoundError as failure:
        print(
            f"alldata: this command needs the Python package {failure.name}{HINTS.get(failure.name or '', '')}",
            file=sys.stderr,
        )
        return 2
    return status


if __name__ == "__main__":
    sys.exit(main())
