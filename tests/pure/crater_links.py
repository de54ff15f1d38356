"""A machine with two PCIe switches, and what becomes of one job on it."""


from scheduling.crater.model import Need, Node, Refusal
from scheduling.crater.plan import plan
from tests.pure.crater_cases import cluster, job
from tests.pure.crater_trees import card, drive, link

CARD = Need("gpu", amounts={"gpu_sm": 1_000_000, "pcie_bandwidth": 20})
READS = Need("storage", amounts={"storage_bandwidth": 10})


def two_switches(free: int = 30) -> Node:
    """Two cards and a drive under each of two switches; `free` is what the first still carries."""
    near = [card("g0", "a"), card("g1", "a"), drive("d0", "a"), link("a", free=free)]
    return Node("n", (*near, card("g2", "b"), card("g3", "b"), drive("d1", "b"), link("b")))


def placed(node: Node, *needs: Need, **more: object) -> dict[str, dict[str, int]]:
    """Device -> amounts of the one job."""
    return {
        p.device: dict(p.amounts) for p in plan(cluster(node, queue=(job("j", *needs, **more),))).placements[0].picks
    }


def refused(node: Node, *needs: Need) -> Refusal:
    return plan(cluster(node, queue=(job("j", *needs),))).refusals[0]
