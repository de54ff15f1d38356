"""What a driver does not know it marks by numbers that cannot be: they are missing, never billed (E4)."""

from types import SimpleNamespace
from typing import Any

import pytest

from alldata.agent.probe.nvml import Nvml
from alldata.agent.sample import Reading, Sampler, _gpu
from alldata.agent.wire import Device, Usage

CARD = Device("GPU-1", "gpu", "gpu0")
SENTINELS = [2**64 - 1, 2**63 - 16, 9_223_372_036_854_775_792, -1, 140_737_488_355_328.0, "N/A"]


class Refusal(Exception):
    """The driver's way to say no."""

    value = 3


def readings(gpu: Any = 70, used: Any = 5, energy: Any = 9) -> dict[str, Reading]:
    """What the card is read as when the driver answers so."""

    def total_energy(_: object) -> Any:
        if energy is None:
            raise Refusal
        return energy

    binding = SimpleNamespace(
        NVMLError=Refusal,
        nvmlDeviceGetHandleByUUID=lambda uuid: uuid,
        nvmlDeviceGetUtilizationRates=lambda _: SimpleNamespace(gpu=gpu),
        nvmlDeviceGetMemoryInfo=lambda _: SimpleNamespace(used=used),
        nvmlDeviceGetTotalEnergyConsumption=total_energy,
    )
    return {slot[1]: reading for slot, reading in _gpu(Nvml(binding), (CARD,))}


def test_a_card_is_read_in_units_of_q() -> None:
    values = {name: reading.value for name, reading in readings().items()}
    assert values == {"gpu_sm": 700_000, "gpu_memory_bytes": 5, "power": 9000}


@pytest.mark.parametrize("odd", SENTINELS)
def test_a_number_that_cannot_be_is_missing_with_its_reason(odd: Any) -> None:
    for name, found in (
        ("gpu_sm", readings(gpu=odd)),
        ("gpu_memory_bytes", readings(used=odd)),
        ("power", readings(energy=odd)),
    ):
        assert (found[name].value, found[name].reason) == (None, "implausible")


def test_a_percentage_above_a_hundred_is_missing() -> None:
    assert readings(gpu=101)["gpu_sm"].value is None


def test_a_card_that_counts_no_energy_has_none() -> None:
    assert "power" not in readings(energy=None)


def test_the_energy_of_a_window_is_its_mean_power() -> None:
    """400 J in a second: 400 W, as microjoules."""
    sampler = Sampler()
    for at_ms, energy in ((0, 1_000), (1000, 401_000)):
        sampler.look({("GPU-1", "power"): readings(energy=energy)["power"]}, at_ms)
    usage = sampler.peek()[0].dims["power"]
    assert usage == Usage(400_000_000, "driver", "measured", 400_000, 1000)
