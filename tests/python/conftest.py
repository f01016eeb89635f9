# Paths and sessions that the tests of the Python package share.
import os
import pathlib

import numpy
import onnx.parser
import pytest

import ortool

ROOT = pathlib.Path(os.environ["ORTOOL_ROOT"])


@pytest.fixture
def root():
    return ROOT


@pytest.fixture
def program():
    return os.environ["ORTOOL_PROGRAM"]


@pytest.fixture
def digits_path():
    return ROOT / "testdata" / "digits" / "digits.onnx"


@pytest.fixture
def samples():
    with numpy.load(ROOT / "testdata" / "digits" / "evaluation.npz") as archive:
        return {name: archive[name] for name in archive.files}


@pytest.fixture
def image():
    pixels = numpy.zeros((1, 1, 8, 8), numpy.float32)
    pixels[0, 0, :, 4] = 255
    return pixels


def parse_model(graph):
    """The bytes of a model with a graph in ONNX's textual syntax."""
    return onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]>\n{graph}').SerializeToString()


@pytest.fixture
def make_session():
    """make_session(graph, **options): a session of a graph in ONNX's textual syntax."""
    return lambda graph, **options: ortool.Session(parse_model(graph), threads=1, **options)
