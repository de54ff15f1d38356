"""What is a drawing of a machine made of? Boxes, frames and columns, in pixels."""

from dataclasses import dataclass, field

from alldata.portal.topology_wires import Wire
from scheduling.selectors.answers import DeviceView

CARD, GAP, INDENT = 108, 8, 14
STACK = 4  # devices whose root nobody knows stand in a grid this high


@dataclass(frozen=True, slots=True)
class Box:
    """One device at its place; `rows` are (capability, percent or None, quality); `parts` are MIG devices."""

    x: int
    y: int
    w: int
    h: int
    device: DeviceView
    rows: tuple[tuple[str, float | None, str], ...]
    parts: tuple[tuple[int, DeviceView], ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """A NUMA node, or a PCIe root with what hangs below it."""

    x: int
    y: int
    w: int
    h: int
    numa: int | None = None
    port: str = ""
    switched: bool = False
    cores: int = 0


@dataclass(slots=True)
class Drawing:
    """The whole picture."""

    width: int = 0
    height: int = 0
    groups: list[Frame] = field(default_factory=list)
    ports: list[Frame] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)
    wires: list[Wire] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Column:
    """What hangs below one PCIe root; "" for devices whose root nobody knows."""

    port: str
    small: tuple[DeviceView, ...]
    cards: tuple[DeviceView, ...]

    @property
    def width(self) -> int:
        return INDENT + max(1, len(self.cards), self.stacks) * (CARD + GAP) - GAP

    @property
    def stacks(self) -> int:
        """How many small devices stand side by side: one, unless no wire has to reach them."""
        return 1 if self.port else -(-len(self.small) // STACK)

    @property
    def high(self) -> int:
        """How many small devices stand upon one another."""
        return len(self.small) if self.port else min(STACK, len(self.small))
