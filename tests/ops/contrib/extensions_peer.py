# Runs one node of ai.onnx.contrib with PyPI's onnxruntime-extensions, which has the operators' own kernels.
"""The package is optional (`tests/peers.sh --with-extensions`); families whose reference it is have no cases without."""
import pickle
import os

import case as cases

try:
    import onnxruntime_extensions
except ImportError:
    onnxruntime_extensions = None


def is_available():
    return onnxruntime_extensions is not None


def _run(node_case):
    import onnxruntime
    onnxruntime.set_default_logger_severity(4)
    options = onnxruntime.SessionOptions()
    options.register_custom_ops_library(onnxruntime_extensions.get_library_path())
    dimensions = {index: [None] * node_case.inputs[index].ndim for index in node_case.present()}
    model = cases.build_model(node_case, (), dimensions)
    model.ir_version = 9
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {f"x{index}": node_case.inputs[index] for index in node_case.present()})


def expected(node_case):
    """A function that gives the wanted outputs; each run is a process of its own, since hostile input ends some."""
    def run():
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            try:
                result = _run(node_case)
            except Exception as error:  # pylint: disable=broad-except
                result = f"onnxruntime-extensions: {error}"
            with os.fdopen(writer, "wb") as pipe:
                pickle.dump(result, pipe)
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            result = pipe.read()
        os.waitpid(child, 0)
        result = pickle.loads(result) if result else "onnxruntime-extensions: the process ended"
        if isinstance(result, str):
            raise RuntimeError(f"{node_case.describe()}: {result}")
        return result
    return run
