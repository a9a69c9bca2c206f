"""The robot's own model library: thirty functions, how it is loaded, how loading can fail."""

import gc
import inspect
import os
import pickle
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_library import FUNCTIONS, build, compile_c, expected

from kinegraph.robot import (
    Frame,
    InvalidArgumentError,
    InvalidOperationError,
    Model,
    ModelError,
    RobotModelBackend,
    RobotState,
    SoModelBackend,
)
from kinegraph.robot.model.library import SYMBOLS
from kinegraph.scene import Isometry3d
from kinegraph.scene.array_types import Array

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")

Q = np.array([0.1, -0.6, 0.2, -2.1, 0.3, 1.7, 0.9])
DQ = np.array([0.5, -0.2, 0.8, 0.3, -1.0, 0.7, 1.5])
F_T_EE = Isometry3d.from_rpy([0.02, -0.01, 0.15], [0.1, 0.4, -0.8]).to_column_major()
EE_T_K = Isometry3d.from_rpy([0.0, 0.01, 0.03], [0.0, 0.3, 0.1]).to_column_major()
INERTIA = np.array([0.004, 0.0003, -0.0002, 0.0003, 0.005, 0.0001, -0.0002, 0.0001, 0.003])
CENTRE = np.array([0.03, -0.02, 0.14])
GRAVITY = np.array([0.3, -0.2, -9.7])
MASS = 1.35


def product(a: Array, b: Array) -> Array:
    first, second = a.reshape(4, 4, order="F"), b.reshape(4, 4, order="F")
    return (first @ second).ravel(order="F")


K = product(F_T_EE, EE_T_K)

# The fifteen calls: arguments, the function behind it, and what it is called with.
CALLS: dict[str, tuple[tuple[Any, ...], str, tuple[Any, ...]]] = {
    "coriolis": ((Q, DQ, INERTIA, MASS, CENTRE, GRAVITY), "c_NE", (Q, DQ, INERTIA, MASS, CENTRE)),
    "gravity": ((Q, GRAVITY, MASS, CENTRE), "g_NE", (Q, GRAVITY, MASS, CENTRE)),
    "mass": ((Q, INERTIA, MASS, CENTRE), "M_NE", (Q, INERTIA, MASS, CENTRE)),
    "pose_flange": ((Q,), "O_T_J8", (Q,)),
    "pose_ee": ((Q, F_T_EE), "O_T_J9", (Q, F_T_EE)),
    "pose_stiffness": ((Q, F_T_EE, EE_T_K), "O_T_J9", (Q, K)),
    "body_jacobian_flange": ((Q,), "Ji_J_J8", (Q,)),
    "body_jacobian_ee": ((Q, F_T_EE), "Ji_J_J9", (Q, F_T_EE)),
    "body_jacobian_stiffness": ((Q, F_T_EE, EE_T_K), "Ji_J_J9", (Q, K)),
    "zero_jacobian_flange": ((Q,), "O_J_J8", (Q,)),
    "zero_jacobian_ee": ((Q, F_T_EE), "O_J_J9", (Q, F_T_EE)),
    "zero_jacobian_stiffness": ((Q, F_T_EE, EE_T_K), "O_J_J9", (Q, K)),
}
JOINT_CALLS = {"pose": "O_T_J", "body_jacobian": "Ji_J_J", "zero_jacobian": "O_J_J"}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("library"))


@pytest.fixture(scope="module")
def backend(path: Path) -> SoModelBackend:
    return SoModelBackend.open(path)


def test_thirty_functions_are_bound() -> None:
    assert set(SYMBOLS) == set(FUNCTIONS)
    assert len(SYMBOLS) == 30


@pytest.mark.parametrize("call", CALLS)
def test_a_call_passes_its_arguments_in_the_librarys_order(
    backend: SoModelBackend, call: str
) -> None:
    arguments, function, passed = CALLS[call]
    result = getattr(backend, call)(*arguments)
    np.testing.assert_allclose(result, expected(function, *passed), rtol=1e-14)


@pytest.mark.parametrize("index", range(1, 8))
@pytest.mark.parametrize("call", JOINT_CALLS)
def test_a_joint_frame_has_a_function_of_its_own(
    backend: SoModelBackend, call: str, index: int
) -> None:
    function = f"{JOINT_CALLS[call]}{index}"
    passed = (Q,) if FUNCTIONS[function][0] else ()
    result = getattr(backend, call)(Q, index)
    np.testing.assert_allclose(result, expected(function, *passed), rtol=1e-14)


def test_it_is_a_backend_with_the_protocols_arguments(backend: SoModelBackend) -> None:
    assert isinstance(backend, RobotModelBackend)
    for call in [*CALLS, *JOINT_CALLS]:
        ours = list(inspect.signature(getattr(SoModelBackend, call)).parameters)
        assert ours == list(inspect.signature(getattr(RobotModelBackend, call)).parameters)


def test_a_model_takes_it_and_hands_over_the_total_load(backend: SoModelBackend) -> None:
    state = RobotState().replace(
        q=Q, dq=DQ, F_T_EE=F_T_EE, EE_T_K=EE_T_K, O_ddP_O=GRAVITY,
        m_ee=9.0, m_total=MASS, F_x_Ctotal=CENTRE, I_total=INERTIA,
    )  # fmt: skip
    model, load = Model(backend), (MASS, CENTRE)
    np.testing.assert_allclose(model.mass(state), expected("M_NE", Q, INERTIA, *load), rtol=1e-14)
    np.testing.assert_allclose(
        model.coriolis(state), expected("c_NE", Q, DQ, INERTIA, *load), rtol=1e-14
    )
    np.testing.assert_allclose(
        model.gravity(state), expected("g_NE", Q, GRAVITY, *load), rtol=1e-14
    )
    np.testing.assert_allclose(
        model.pose(Frame.Stiffness, state), expected("O_T_J9", Q, K), rtol=1e-14
    )


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ("pose", (Q, 0)),
        ("pose", (Q, 8)),
        ("pose", (Q[:6], 1)),
        ("zero_jacobian", (np.full(7, np.nan), 1)),  # although the function takes no positions
        ("pose_ee", (Q, np.ones(16))),
        ("mass", (Q, INERTIA, -1.0, CENTRE)),
        ("gravity", (Q, GRAVITY, np.inf, CENTRE)),
        ("coriolis", (Q, DQ, INERTIA, 1.0, CENTRE, np.full(3, np.nan))),
    ],
)
def test_wrong_arguments_never_reach_the_library(
    backend: SoModelBackend, call: str, arguments: tuple[Any, ...]
) -> None:
    with pytest.raises(InvalidArgumentError):
        getattr(backend, call)(*arguments)


# --- bytes --------------------------------------------------------------------------------------


def test_bytes_give_the_same_library_and_leave_no_file(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # other processes have files there, too
    with SoModelBackend.from_bytes(path.read_bytes()) as backend:
        assert os.listdir(tmp_path) == []
        np.testing.assert_allclose(backend.pose(Q, 4), expected("O_T_J4", Q), rtol=1e-14)
    assert os.listdir(tmp_path) == []


def test_the_temporary_file_is_for_its_owner_alone(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import kinegraph.robot.model.library as module

    seen: list[tuple[Path, int]] = []
    loaded = module.ModelLibrary

    def spy(name: Path) -> Any:
        seen.append((name, name.stat().st_mode & 0o777))
        return loaded(name)

    monkeypatch.setattr(module, "ModelLibrary", spy)
    SoModelBackend.from_bytes(path.read_bytes()).close()
    SoModelBackend.from_bytes(path.read_bytes()).close()
    (first, mode), (second, _) = seen
    assert (mode, first.parent) == (0o600, Path(tempfile.gettempdir()))
    assert first != second
    assert not first.exists()


def test_two_libraries_at_a_time_are_two(path: Path, tmp_path: Path) -> None:
    source = "void {}(double *out) {{ out[0] = 77; }}"
    others = "\n".join(source.format(name) for name in FUNCTIONS)
    other = compile_c(tmp_path, others, "other.so")
    a, b = (SoModelBackend.from_bytes(each.read_bytes()) for each in (path, other))
    assert b.zero_jacobian(Q, 1)[0] == 77.0
    np.testing.assert_allclose(a.zero_jacobian(Q, 1), expected("O_J_J1"), rtol=1e-14)


def test_no_place_for_the_temporary_file_is_a_model_error(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(ModelError, match=r"^libfranka: Cannot save model library\."):
        SoModelBackend.from_bytes(path.read_bytes())


# --- every way to fail is a ModelError ----------------------------------------------------------

CANNOT_LOAD = r"^libfranka: Cannot load model library: "


@pytest.mark.parametrize("missing", FUNCTIONS)
def test_a_function_that_is_missing_is_named(tmp_path: Path, missing: str) -> None:
    library = build(tmp_path, without=missing)
    with pytest.raises(ModelError, match=rf"^libfranka: Symbol cannot be found: {missing}$") as e:
        SoModelBackend.open(library)
    assert e.value.symbol == missing
    assert e.value.kind == "model"


def with_bytes(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at + len(new) :]


@pytest.mark.parametrize("as_file", [True, False], ids=["open", "from_bytes"])
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: b"", "no bytes"),
        (lambda data: b"\x7fELF not a library", "no shared object"),
        (lambda data: b"#!/bin/sh\n" * 20, "no shared object"),
        (lambda data: data[:63], "no shared object"),
        (lambda data: with_bytes(data, 18, struct.pack("<H", 183)), "it is for ARM64, 64 bit"),
        (lambda data: with_bytes(data, 18, struct.pack("<H", 999)), "it is for machine 999"),
        (lambda data: with_bytes(data, 4, b"\x01"), "32 bit"),
        (lambda data: with_bytes(data, 16, struct.pack("<H", 1)), "of type 1"),
        (lambda data: with_bytes(data, 56, struct.pack("<H", 0)), "table of segments"),
        (lambda data: with_bytes(data, 32, b"\xff" * 8), "table of segments"),
        (lambda data: data[:4096], "cut off"),
        (lambda data: data[: len(data) // 3], "cut off"),
    ],
)
def test_what_is_no_whole_library_for_this_machine_is_refused(
    path: Path, tmp_path: Path, change: Any, said: str, as_file: bool
) -> None:
    data = change(path.read_bytes())
    if sys.platform != "linux" or os.uname().machine != "x86_64":
        pytest.skip("the header that is changed is x86-64's")
    file = tmp_path / "library.so"
    file.write_bytes(data)
    with pytest.raises(ModelError, match=CANNOT_LOAD + f".*{said}"):
        SoModelBackend.open(file) if as_file else SoModelBackend.from_bytes(data)


def test_a_missing_file_a_folder_a_pipe_and_what_is_no_path(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    nothing: list[Any] = [tmp_path / "none.so", tmp_path, tmp_path / "pipe", tmp_path / "loop"]
    for odd in [*nothing, "", "a\0b", 7, None]:
        with pytest.raises(ModelError, match=CANNOT_LOAD):
            SoModelBackend.open(odd)


@pytest.mark.parametrize("data", ["text", None, 12, ["x"]])
def test_what_are_no_bytes_is_a_model_error(data: Any) -> None:
    with pytest.raises(ModelError, match=CANNOT_LOAD):
        SoModelBackend.from_bytes(data)


def test_a_file_that_may_not_be_read(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "secret.so"
    shutil.copy(path, copy)
    copy.chmod(0o000)
    if os.access(copy, os.R_OK):  # root reads everything: ask as somebody else
        script = (
            "import os, sys; from kinegraph.robot import ModelError, SoModelBackend\n"
            "os.setuid(65534)\n"
            "try: SoModelBackend.open(sys.argv[1])\n"
            "except ModelError as error: sys.stdout.write(str(error))\n"
        )
        tmp_path.chmod(0o755)
        where = Path(tempfile.mkdtemp()) / "secret.so"  # pytest's own folders are private
        where.parent.chmod(0o755)
        shutil.copy(copy, where)
        where.chmod(0o000)
        run = subprocess.run(
            [sys.executable, "-P", "-c", script, str(where)],
            capture_output=True, text=True, timeout=120, check=True,
        )  # fmt: skip
        shutil.rmtree(where.parent)
        assert "Cannot load model library" in run.stdout
        assert "Permission denied" in run.stdout
        return
    with pytest.raises(ModelError, match=CANNOT_LOAD + ".*Permission denied"):
        SoModelBackend.open(copy)


def test_a_library_that_needs_another_that_is_not_there(tmp_path: Path) -> None:
    compile_c(tmp_path, "int other(void) { return 1; }", "libother.so")
    source = tmp_path / "needs.c"
    source.write_text("int other(void); int call(void) { return other(); }")
    library = tmp_path / "needs.so"
    subprocess.run(
        ["gcc", "-shared", "-fPIC", "-o", library, source, f"-L{tmp_path}", "-lother"],
        check=True, timeout=60,
    )  # fmt: skip
    (tmp_path / "libother.so").unlink()
    with pytest.raises(ModelError, match=CANNOT_LOAD + ".*libother"):
        SoModelBackend.open(library)


# --- life ---------------------------------------------------------------------------------------


def mapped(path: Path) -> bool:
    return str(path) in Path("/proc/self/maps").read_text()


def test_close_unloads_the_library_and_later_calls_are_refused(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.so"
    shutil.copy(path, copy)
    backend = SoModelBackend.open(str(copy))
    assert mapped(copy)
    backend.close()
    backend.close()
    gc.collect()
    assert not mapped(copy)
    assert copy.exists()
    with pytest.raises(InvalidOperationError, match="closed"):
        backend.pose(Q, 1)
    assert repr(backend) == f"SoModelBackend({str(copy)!r}, closed)"


def test_dropping_the_last_reference_unloads_it(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.so"
    shutil.copy(path, copy)
    SoModelBackend.open(copy).pose(Q, 1)
    gc.collect()
    assert not mapped(copy)


def test_a_backend_shows_where_it_comes_from(path: Path) -> None:
    assert repr(SoModelBackend.open(path)) == f"SoModelBackend({str(path)!r})"
    data = path.read_bytes()
    assert repr(SoModelBackend.from_bytes(data)) == f"SoModelBackend('{len(data)} bytes')"


def test_it_cannot_be_pickled(backend: SoModelBackend) -> None:
    with pytest.raises(TypeError, match="cannot pickle a SoModelBackend"):
        pickle.dumps(backend)


def test_threads_may_share_it_and_one_may_close_it(path: Path) -> None:
    backend = SoModelBackend.open(path)
    right = {i: expected(f"O_T_J{i}", Q * i) for i in range(1, 8)}
    wrong: list[int] = []
    started = threading.Barrier(8)

    def work(i: int) -> None:
        started.wait(60.0)
        while True:
            try:
                result = backend.pose(Q * i, i)
            except InvalidOperationError:
                return
            if not np.allclose(result, right[i], rtol=1e-13):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(1, 8)]
    for thread in threads:
        thread.start()
    started.wait(60.0)
    for _ in range(200):
        backend.pose(Q, 1)
    backend.close()
    for thread in threads:
        thread.join(60.0)
    assert not any(thread.is_alive() for thread in threads)
    assert not wrong
