"""What is a card called whose name went through a label?"""

import re


def product_of(label: str | None) -> str | None:
    """Labels put dashes for blanks; those inside `A100-SXM4-40GB` belong to the name."""
    if not label:
        return None
    bare = re.sub(r"-MIG-\d+g\.\d+gb.*$|-SHARED$", "", label.removeprefix("NVIDIA-"))
    kept = re.sub(r"([A-Z]+\d+\w*)-(SXM\d?|PCIE|DGXS)-(\d+GB)", r"\1\0\2\0\3", bare)
    return kept.replace("-", " ").replace("\0", "-")
