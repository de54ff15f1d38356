"""Card memory is timed through the CUDA driver's own calls; a card that refuses is left out, and nothing leaks."""

import ctypes
from collections import Counter
from types import SimpleNamespace
from typing import Any
from uuid import UUID

from alldata.agent import calibrate, cuda
from alldata.agent.calibrate import Calibration
from alldata.agent.idle import idle_cards
from alldata.agent.wire import Capacity, Device
from tests.pure.test_agent_gpu import driver

IDS = [UUID(int=number) for number in (1, 2)]


class Library:
    """A stand-in for libcuda: counts its calls, and refuses what it is told to."""

    def __init__(self, refuses: str = "") -> None:
        self.calls: Counter[str] = Counter()
        self.refuses = refuses

    def cuDeviceGetCount(self, count: Any) -> int:
        count._obj.value = len(IDS)
        return 0

    def cuDeviceGetUuid(self, raw: Any, index: int) -> int:
        ctypes.memmove(raw._obj, IDS[index].bytes, 16)
        return 0

    def __getattr__(self, name: str) -> Any:
        def call(*_: object) -> int:
            self.calls[name] += 1
            return 2 if name == self.refuses else 0

        return call


def uuid(number: int) -> str:
    return f"GPU-{IDS[number]}"


def test_only_idle_cards_are_measured() -> None:
    library = Library()
    assert list(cuda.bandwidths(library, (uuid(1),), 0.001)) == [uuid(1)]
    assert library.calls["cuMemAlloc_v2"] == library.calls["cuMemFree_v2"] == 2
    assert library.calls["cuDevicePrimaryCtxRetain"] == library.calls["cuDevicePrimaryCtxRelease"] == 1


def test_a_card_without_room_is_left_out_and_gives_back_what_it_took() -> None:
    library = Library(refuses="cuMemcpyDtoD_v2")
    assert cuda.bandwidths(library, (uuid(0),), 0.001) == {}
    assert library.calls["cuMemFree_v2"] == 2
    assert library.calls["cuDevicePrimaryCtxRelease"] == 1


def test_a_card_with_load_or_a_process_is_not_idle() -> None:
    cards = tuple(Device(name, "gpu", name) for name in ("busy", "used", "idle"))
    nvml = driver(
        nvmlDeviceGetHandleByUUID=lambda name: name,
        nvmlDeviceGetUtilizationRates=lambda name: SimpleNamespace(gpu=70 if name == "busy" else 0),
        nvmlDeviceGetComputeRunningProcesses=lambda name: [1] if name == "used" else [],
    )
    assert idle_cards(nvml, cards) == ("idle",)


def test_a_measured_card_says_so() -> None:
    guess = {"hbm_bandwidth": Capacity(3, "driver", "estimated")}
    card = Device(uuid(0), "gpu", "gpu0", capacities=guess)
    (found,) = calibrate.apply((card,), Calibration(1000, 8, {}, cards={uuid(0): 2 * 10**12}))
    assert found.capacities["hbm_bandwidth"] == Capacity(2 * 10**12, "measured", "measured", 1000)
