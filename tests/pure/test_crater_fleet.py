"""Which nodes are alike?"""

from scheduling.crater.fleet import fleet
from scheduling.crater.model import Node
from tests.pure.crater_cases import gpu, gpu_node, plain_node


def test_equal_nodes_are_one_class_whatever_their_names() -> None:
    grid = fleet([gpu_node("b"), plain_node("c"), gpu_node("a")], {})
    assert sorted(group.names for group in grid.classes) == [("a", "b"), ("c",)]


def test_nodes_that_differ_in_one_attribute_are_two_classes() -> None:
    old = Node("old", (gpu("GPU-1", driver_version="470.1"),))
    assert len(fleet([old, Node("new", (gpu("GPU-2", driver_version="510.1"),))], {}).classes) == 2


def test_a_bus_address_makes_no_class() -> None:
    one, two = (Node(n, (gpu(f"GPU-{n}", pci_bus_id=n),)) for n in ("a", "b"))
    assert len(fleet([one, two], {}).classes) == 1
