"""What is a code called? One vocabulary of states, reasons, capabilities and facts, in the reader's language.

Stored texts are codes plus data; every page, the command line and the notices take their words
from here. A code without a word is shown as it is, so that nothing is ever hidden.
"""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from alldata.portal.words_of_money import BUCKETS, BUDGET_STATES, CAUSES, CHARGES, CUTS, RANGES, UNITS
from alldata.portal.words_of_verdicts import JUDGED, STEPS, VERDICTS

Words = Mapping[str, Any]

JOB_STATES: Words = {
    "queued": _("Queued"),
    "admitted": _("Placed"),
    "active": _("Running"),
    "succeeded": _("Succeeded"),
    "failed": _("Failed"),
    "cancelled": _("Cancelled"),
    "over_budget": _("Over budget"),
}
ATTEMPT_STATES: Words = {
    "placing": _("Placing"),
    "starting": _("Starting"),
    "running": _("Running"),
    "finishing": _("Finishing"),
    "succeeded": _("Succeeded"),
    "failed": _("Failed"),
    "cancelled": _("Cancelled"),
    "preempted": _("Preempted"),
    "lost": _("Lost"),
}
#: Tone and icon of each state: colour is never the only carrier.
LOOKS: Mapping[str, tuple[str, str]] = {
    "queued": ("", "clock"),
    "admitted": ("run", "ring"),
    "active": ("run", "ring"),
    "running": ("run", "ring"),
    "placing": ("run", "ring"),
    "starting": ("run", "ring"),
    "finishing": ("run", "hourglass"),
    "succeeded": ("good", "check-circle"),
    "pass": ("good", "check-circle"),
    "failed": ("bad", "cross-circle"),
    "fail": ("bad", "cross-circle"),
    "over_budget": ("bad", "coin"),
    "cancelled": ("", "stop"),
    "preempted": ("care", "stop"),
    "lost": ("care", "question"),
    "inconclusive": ("care", "question"),
    "": ("", "clock"),
}

CAPABILITIES: Words = {
    "cpu_millicores": _("CPU cores"),
    "memory_bytes": _("Host memory"),
    "memory_bandwidth": _("Host memory bandwidth"),
    "gpu_sm": _("GPU SM"),
    "gpu_memory_bytes": _("GPU memory"),
    "hbm_bandwidth": _("HBM bandwidth"),
    "nvlink_bandwidth": _("NVLink"),
    "gpu_tensor": _("Tensor cores"),
    "pcie_bandwidth": _("PCIe link"),
    "storage_bytes": _("SSD space"),
    "storage_iops": _("SSD IOPS"),
    "storage_bandwidth": _("SSD bandwidth"),
    "storage_queue_slots": _("SSD queue slots"),
    "network_bandwidth": _("Network bandwidth"),
    "power": _("Energy"),
    "sm_count": _("SM count"),
    "compute_capability": _("Compute capability"),
    "driver_version": _("Driver version"),
    "latency_us": _("Latency"),
    "latency_ns": _("Memory latency"),
    "cores": _("Cores"),
    "threads": _("Threads"),
    "ipc_baseline": _("IPC baseline"),
    "queue_depth": _("Queue depth"),
    "fp32_tflops": "FP32",
    "fp16_tensor_tflops": _("FP16 tensor"),
    "vendor": _("Vendor"),
    "model": _("Model"),
    "interface": _("Interface"),
    "numa_node": _("NUMA node"),
    "pci_bus_id": _("PCI address"),
    "upstream_pci_bus_id": _("Upstream PCI address"),
    "nvlink_island": _("NVLink island"),
    "isolation": _("Isolation"),
    "nodes": _("Machines"),
}
DEVICE_TYPES: Words = {
    "cpu": "CPU",
    "memory": _("memory"),
    "gpu": "GPU",
    "storage": "SSD",
    "network": _("network"),
    "link": _("link"),
}
RULES: Words = {
    "capacity": _("larger than any device here"),
    "free": _("in use by other jobs"),
    "constraint": _("does not meet the requirement"),
    "unusable": _("not usable now"),
    "isolation": _("the card cannot keep two jobs apart"),
    "invalid": _("not a value that can be planned with"),
    "alignment": _("not under one NUMA node"),
    "count": _("too few devices"),
    "cap": _("above the spending cap"),
    "deadline": _("cannot finish in time"),
    "no_device": _("no such device here"),
    "backfill": _("would delay the job before it"),
    "nodes": _("too few machines for all members"),
}
UNUSABLE: Words = {
    "agent_silent": _("its agent is silent"),
    "draining": _("it is being drained"),
    "recorded": _("it plays back a recording"),
    "overcommitted": _("more is promised than it still has"),
    "unhealthy": _("it reports a fault"),
    "invalid_value": _("it reports a value that cannot be"),
}
WAITING: Words = {
    "waiting": _("Waiting for room"),
    "waiting_capacity": _("Needs more %(what)s than any device here has"),
    "waiting_free": _("Waiting for %(what)s"),
    "waiting_constraint": _("No device here meets the requirement on %(what)s"),
    "waiting_unusable": _("The device it needs is not usable now"),
    "waiting_isolation": _("Waiting for a whole card: none here can keep two jobs apart"),
    "waiting_invalid": _("Cannot be planned: its %(what)s is not a usable value"),
    "waiting_alignment": _("Waiting for room under one NUMA node"),
    "waiting_count": _("Waiting for enough devices"),
    "waiting_nodes": _("Its members need %(need)s machines, %(have)s would do now"),
    "waiting_cap": _("Costs more than the cap allows"),
    "waiting_deadline": _("Cannot finish before the deadline"),
    "waiting_no_device": _("No machine here has such a device"),
    "waiting_backfill": _("Held back so that %(head)s is not delayed"),
    "waiting_backfill_at": _("Held back so that %(head)s, which starts about %(at)s, is not delayed"),
    "preempted": _("Stopped to make room for %(by)s, waits for its next turn"),
}
ENDINGS: Words = {
    "exit_nonzero": _("The program ended with exit code %(exit_code)s."),
    "killed_by_signal": _("The program was killed by signal %(signal)s."),
    "missing_output": _("The program ended well but did not leave %(missing)s."),
    "out_of_memory": _("The program needed more memory than the job holds, and was ended."),
    "timeout": _("The program ran longer than its time limit, and was ended."),
    "spawn_failed": _("The program could not be started."),
    "launch_refused": _("The engine refused to start it."),
    "engine_shutdown": _("The engine was shut down while the program ran."),
    "lost": _("The machine lost sight of the program."),
    "stopped": _("It was stopped."),
    "member_ended": _("It was stopped because another member of the job had ended."),
    "cancelled": _("Someone stopped it."),
    "completed": _("Its work was done, so it was ended."),
    "over_budget": _("The spending cap was reached."),
    "preempted": _("It was stopped to make room for %(by)s."),
    "reservation_expired": _("The place was not used in time, and given back."),
    "reservation_released": _("The place was given back unused."),
}
EVENTS: Words = {
    "job.submitted": _("Submitted"),
    "job.moved": _("Job: %(to)s"),
    "attempt.moved": _("Attempt: %(to)s"),
    "decision.placed": _("Placed on %(node)s"),
    "decision.refused": _("Cannot start yet"),
    "decision.conflicted": _("The room was gone, planned again"),
    "decision.preempted": _("Asked to make room for %(by)s, %(lost)s of work is lost"),
}
KINDS: Words = {
    "train": _("Training"),
    "serve": _("Serving"),
    "load_test": _("Load test"),
    "run": _("Run"),
    "hold": _("Reservation"),
    "training": _("training"),
    "inference": _("inference"),
}
QUALITIES: Words = {
    "measured": _("measured"),
    "proxy": _("proxy"),
    "estimated": _("estimated"),
    "missing": _("missing"),
    "held": _("carried forward"),
    "published": _("published"),
    "driver": _("driver"),
    "sysfs": "sysfs",
    "overridden": _("overridden"),
    "history": _("earlier runs"),
    "declared": _("the profile"),
    "roofline": _("roofline model"),
    "cold_start": _("a first guess"),
    "experience": _("other jobs with such deadlines"),
}
TERMS: Words = {
    "value": _("Leaves room for others"),
    "best_fit": _("Fits tightly"),
    "scarcity": _("Spares scarce devices"),
    "locality": _("Close together"),
    "money": _("Cheap"),
    "slack": _("In time"),
}
NOTICES: Words = {
    "legacy_gpu_translated": _("The old field gpu was translated to a default profile."),
    "image_ignored": _("The local engine runs no images; the field image was kept but not used."),
    "deadline_at_risk": _("It may end after the deadline."),
    "cap_at_risk": _("It may cost more than the cap."),
    "waits": _("It does not fit now: it waits until there is room."),
    "impossible": _("It can never fit on the machines that are here."),
    "no_history": _("Nothing like it has run here yet: the forecast is a first guess."),
    "other_hardware": _("It has run on other hardware only: the forecast is transferred from there."),
    "unit_slip": _("An amount is far beyond every device here: check its unit."),
    "budget_short": _("A budget has too little left for it."),
    "price_missing": _("Some capabilities have no price yet."),
}
LIMITS: Words = {
    "cgroup-v2": "cgroup v2",
    "cgroup-v1": "cgroup v1",
    "rlimit": "rlimit",
    "affinity": _("CPU affinity"),
    "set_mempolicy": _("memory policy"),
    "mempolicy": _("memory policy"),
    "none": _("not enforced"),
}
STATUSES: Words = {
    "draft": _("Draft"),
    "published": _("Published"),
    "deprecated": _("Deprecated"),
    "open": pgettext_lazy("period", "open"),
    "provisional": _("provisional"),
    "closed": pgettext_lazy("period", "closed"),
    "corrected": _("corrected"),
}
ROLES: Words = {
    "platform_admin": _("Platform admin"),
    "team_admin": _("Team admin"),
    "member": _("Member"),
    "finance": _("Finance"),
    "viewer": _("Viewer"),
}
GAPS: Words = {
    "no_agent_reported": _("no agent has reported"),
    "not_reported": _("the agent does not report it"),
}
LINKS: Words = {"pcie": "PCIe", "nvlink": "NVLink", "numa": _("between NUMA nodes")}
TABLES: Mapping[str, Words] = {
    "state": {**ATTEMPT_STATES, **JOB_STATES},
    "verdict": VERDICTS,
    "capability": CAPABILITIES,
    "type": DEVICE_TYPES,
    "rule": RULES,
    "step": STEPS,
    "kind": KINDS,
    "quality": QUALITIES,
    "bucket": BUCKETS,
    "term": TERMS,
    "notice": NOTICES,
    "limit": LIMITS,
    "status": STATUSES,
    "role": ROLES,
    "unusable": UNUSABLE,
    "judged": JUDGED,
    "gap": GAPS,
    "link": LINKS,
    "cut": CUTS,
    "range": RANGES,
    "charge": CHARGES,
    "cause": CAUSES,
    "budget": BUDGET_STATES,
    "unit": UNITS,
}


def word(code: object, table: str) -> str:
    """The word for a code of one table; an unknown code is its own word."""
    text = str(code)
    return str(TABLES[table].get(text, text.replace("_", " ")))


def look(state: str) -> tuple[str, str]:
    """Tone and icon of a state or verdict."""
    return LOOKS.get(state, ("", "question"))
