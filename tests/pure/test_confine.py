"""Which cgroup holds a job, on machines other than this one? Fixture trees stand in for them."""

from pathlib import Path

from alldata.agent.shim.cgroups import CgroupV2
from alldata.agent.shim.confine import confine
from alldata.agent.shim.logs import LogSegments


def machine(root: Path, *, mounts: str, groups: str) -> None:
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/mounts").write_text(mounts)
    (root / "proc/self/cgroup").write_text(groups)


def unified(root: Path, *, controllers: str) -> Path:
    """A v2 machine where only the slice above our own group hands controllers down."""
    machine(root, mounts="cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n", groups="0::/user.slice/app.service\n")
    own = root / "sys/fs/cgroup/user.slice/app.service"
    own.mkdir(parents=True)
    (own / "cgroup.subtree_control").write_text("\n")
    (own.parent / "cgroup.subtree_control").write_text(controllers)
    return own.parent


def test_v2_uses_the_nearest_group_that_hands_memory_down(tmp_path: Path) -> None:
    parent = unified(tmp_path, controllers="cpu memory pids\n")
    group = confine("k", 1000, root=str(tmp_path))
    assert group.name == "cgroup-v2" and group.directories == {"unified": str(parent / "alldata-k")}
    assert (parent / "alldata-k/memory.max").read_text() == "1000"


def test_v2_without_memory_is_no_confinement(tmp_path: Path) -> None:
    unified(tmp_path, controllers="cpu\n")
    assert confine("k", 1000, root=str(tmp_path)).directories == {}


def test_v1_with_joint_controllers(tmp_path: Path) -> None:
    lines = [f"cgroup /sys/fs/cgroup/{name} cgroup rw,{name} 0 0" for name in ("memory", "cpu,cpuacct", "pids")]
    machine(tmp_path, mounts="\n".join(lines), groups="4:memory:/box\n3:cpu,cpuacct:/\n2:pids:/gone\n")
    for name in ("memory/box", "cpu,cpuacct", "pids"):
        (tmp_path / "sys/fs/cgroup" / name).mkdir(parents=True)
    group = confine("k", 1000, root=str(tmp_path))
    assert group.name == "cgroup-v1" and group.directories.keys() == {"memory", "cpuacct", "pids"}
    assert (tmp_path / "sys/fs/cgroup/memory/box/alldata-k/memory.limit_in_bytes").read_text() == "1000"


def test_a_machine_without_cgroups_has_none(tmp_path: Path) -> None:
    group = confine("k", None, root=str(tmp_path))
    assert (group.name, group.cpu_us(), group.memory_bytes(), group.ios()) == ("none", None, None, None)


def test_v2_counts_and_leaves_out_idle_cache(tmp_path: Path) -> None:
    (tmp_path / "cpu.stat").write_text("usage_usec 1500\nuser_usec 1000\n")
    (tmp_path / "memory.current").write_text("5000\n")
    (tmp_path / "memory.stat").write_text("anon 4000\ninactive_file 1000\n")
    (tmp_path / "io.stat").write_text(
        "8:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=0\n8:16 rbytes=10 wbytes=20 rios=30\n"
    )
    (tmp_path / "memory.events").write_text("oom 1\noom_kill 2\n")
    group = CgroupV2({"unified": str(tmp_path)})
    assert (group.cpu_us(), group.memory_bytes(), group.oom_kills()) == (1500, 4000, 2)
    assert group.ios() == (33, 4, 11, 22)


def test_a_log_within_its_limit_drops_nothing(tmp_path: Path) -> None:
    log = LogSegments(str(tmp_path), segment_bytes=10, limit_bytes=40)
    log.write(b"x" * 39)
    assert log.facts() == {"bytes": 39, "dropped": 0, "lost": 0}
    assert len(list(tmp_path.iterdir())) == 4
