# Real models: the Python package and the program compute the same bits.
import pathlib
import subprocess

import numpy
import onnx
import onnx.numpy_helper
import pytest

import ortool
from conftest import ROOT

MODELS = sorted(path.parent for path in (ROOT.parent / "shared" / "models").glob("*/model.onnx"))


def read_tensor(path):
    tensor = onnx.TensorProto.FromString(path.read_bytes())
    return tensor.name, onnx.numpy_helper.to_array(tensor)


@pytest.mark.skipif(not MODELS, reason="there is no ../shared next to this tree")
@pytest.mark.parametrize("folder", MODELS, ids=[folder.name for folder in MODELS])
def test_the_bits_are_those_of_the_program(folder, program, tmp_path):
    session = ortool.Session(folder / "model.onnx")
    paths = sorted((folder / "test_data_set_0").glob("input_*.pb"), key=lambda path: int(path.stem.split("_")[1]))
    known = [info.name for info in session.inputs]
    feeds, arguments = {}, []
    for path, position in zip(paths, known):
        name, array = read_tensor(path)
        name = name if name in known else position
        feeds[name] = array
        arguments += ["--input", f"{name}={path}"]
    outputs = session.run(None, feeds)
    subprocess.run([program, "run", str(folder / "model.onnx"), *arguments, "--quiet", "--output-format", "pb", "--output-dir",
                    str(tmp_path / "outputs")], check=True, stdout=subprocess.DEVNULL)
    compared = 0
    for number, (info, output) in enumerate(zip(session.outputs, outputs)):
        if info.kind != "tensor":
            continue
        _, expected = read_tensor(pathlib.Path(tmp_path / "outputs" / f"output_{number}.pb"))
        assert output.dtype == expected.dtype and output.shape == expected.shape
        assert output.tobytes() == expected.tobytes() if output.dtype != object else output.tolist() == expected.tolist()
        compared += 1
    assert compared > 0
