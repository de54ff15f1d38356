"""Probe facts and published knowledge -> capability vectors and the link graph.

Pure: the same message and the same knowledge give the same answer (`stamp` names both). Devices
in devices.py, one value at a time in capacities.py, connections in links.py.
"""

from profiles.derive.devices import derive
from profiles.derive.links import link_graph
from profiles.derive.model import VERSION, DerivedCapacity, DerivedDevice, DerivedLink, stamp

__all__ = ["VERSION", "DerivedCapacity", "DerivedDevice", "DerivedLink", "derive", "link_graph", "stamp"]
