# The Python package itself: the manual's example, its types, and what it contains.
import ast
import os
import pathlib
import subprocess
import sys

import pytest

import ortool


def test_the_example_of_the_manual_prints_the_class(root, digits_path):
    script = root / "tests" / "python" / "classify.py"
    printed = subprocess.run([sys.executable, str(script), str(digits_path)], check=True, capture_output=True, text=True).stdout
    assert printed.startswith("class 1 with score 0.9")
    assert len([line for line in script.read_text(encoding="utf-8").splitlines() if line.strip()]) <= 10


def test_the_operator_of_the_manual_computes(root):
    script = root / "tests" / "python" / "own_operator.py"
    model = root / "testdata" / "custom_ops" / "scale.onnx"
    printed = subprocess.run([sys.executable, str(script), str(model)], check=True, capture_output=True, text=True).stdout
    assert printed == "[[3. 5. 7.]]\n"


def test_type_annotations_are_consistent(tmp_path):
    pytest.importorskip("mypy")
    folder = pathlib.Path(ortool.__file__).parent
    checked = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--python-version", "3.10", "--cache-dir", str(tmp_path),
                              "--allow-any-generics", "--ignore-missing-imports", "-p", "ortool"], cwd=folder.parent,
                             capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout
    assert (folder / "py.typed").exists()


def test_the_package_holds_the_libraries_it_loads():
    with open("/proc/self/maps", encoding="ascii") as file:
        loaded = {line.split()[-1] for line in file if "libortool" in line}
    folder = pathlib.Path(ortool.__file__).parent.resolve()
    # Tests that name cuda have loaded its module, perhaps that with an emulated device.
    loaded = {path for path in loaded if not path.endswith("/libortool_cuda.so")}
    assert {str(folder / name) for name in ("libortool.so.0", "libortool_c.so.0")} == loaded


def test_the_package_holds_the_module_cuda_of_its_build():
    built = pathlib.Path(os.environ["ORTOOL_PROGRAM"]).parents[1] / "lib" / "ortool" / "providers" / "libortool_cuda.so"
    packed = pathlib.Path(ortool.__file__).parent / "providers" / "libortool_cuda.so"
    assert packed.exists() == built.exists()
    # A process of its own, so that this one does not load it.
    text = subprocess.run([sys.executable, "-c", "import ortool; print(ortool.command('providers'))"], check=True, capture_output=True,
                          text=True, env={**os.environ, "ORTOOL_PROVIDER_PATH": ""}).stdout
    cuda = next(entry for entry in ast.literal_eval(text)["providers"] if entry["name"] == "cuda")
    if packed.exists():
        assert cuda["available"] or "libortool_cuda.so" not in cuda["reason"], cuda
    else:
        assert "this build does not include cuda" in cuda["reason"]


def test_the_stub_of_the_module_names_what_the_module_has():
    stub = (pathlib.Path(ortool.__file__).parent / "_native.pyi").read_text(encoding="utf-8")
    for owner in (ortool._native, ortool.Value, ortool.Stop, ortool._native.Profile, ortool._native.Feedback):
        for name in vars(owner):
            if not name.startswith("__") or name in ("__dlpack__", "__dlpack_device__", "__array_struct__"):
                assert f" {name}" in stub, name
