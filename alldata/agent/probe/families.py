"""To which product family does a drive's model number belong? Makers print order codes, people know families.

Prefixes of order codes, the longest that fits wins; a code that is not here has no family, never a guess.
"""

_FAMILIES = {
    "MZQL2": "PM9A3",
    "MZ1L2": "PM9A3",
    "MZ3L2": "PM9A3",
    "MZVL2": "PM9A1",
    "MZVL4": "PM9B1",
    "MZQLB": "PM983",
    "MZ1LB": "PM983",
    "MZVLB": "PM981",
    "MZVLW": "PM961",
    "MZVKW": "SM961",
    "MZWLL": "PM1725",
    "MZWLJ": "PM1733",
    "MZWLR": "PM1733",
    "MZWLO": "PM1743",
    "MZPLJ": "PM1733",
    "MTFDKCB": "7450",
    "MTFDKCC": "7450",
    "MTFDKBG": "7450",
    "MTFDHBE": "7300",
    "SSDPE2KX": "P4510",
    "SSDPE2KE": "P4610",
    "SSDPF2KX": "P5510",
    "SSDPF2KE": "P5620",
    "SSDPF21Q": "P5800X",
    "SSDPE21K": "P4800X",
    "SSDPED1K": "P4800X",
}


def family_of(model: str | None) -> str | None:
    """`SAMSUNG MZQL21T9HCJR-00A07` is of family PM9A3."""
    words = (model or "").upper().split()
    fitting = [prefix for prefix in _FAMILIES if any(word.startswith(prefix) for word in words)]
    return _FAMILIES[max(fitting, key=len)] if fitting else None
