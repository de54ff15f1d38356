"""What do the API's answers mean to the story? Small readings, and their words for people."""

from alldata.cli.client import Json
from profiles.dimensions import BY_NAME


def found_devices(page: Json) -> Json | None:
    return page if page["resources"] else None


def booked(cost: Json) -> Json | None:
    """A cost is final when nothing is still on its way into the ledger."""
    return cost if cost.get("final") else None


def nano_of(money: Json) -> int:
    return int(money["nano"])


def parts_of(cost: Json) -> dict[str, int]:
    """Nano amounts by capability."""
    return {part["capability"]: nano_of(part["cost"]) for part in cost["parts"]}


def dimensions_of(page: Json) -> list[Json]:
    return [dimension for device in page["resources"] for dimension in device["dimensions"]]


def is_measured(dimension: Json) -> bool:
    """A value that was tried out on this machine, not read from a register or a table."""
    return dimension["source"] == "measured" and dimension["capacity"] is not None


def capability_line(dimension: Json) -> str:
    """One capability with its unit, and how it is known."""
    known = BY_NAME[dimension["name"]]
    capacity = "unknown" if dimension["capacity"] is None else known.show(int(dimension["capacity"]))
    return f"{known.title:20} {capacity:>14}  {dimension['source'] or '-'}, {dimension['quality']}"


def reason_line(reason: Json) -> str:
    """One threshold of the verdict: what was asked, what was got."""
    asked, got = reason.get("limit"), reason.get("got")
    return f"{reason['code']}: {got} {reason.get('unit', '')}, asked {asked}: {reason.get('outcome', '')}"
