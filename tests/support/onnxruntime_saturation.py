# Whether onnxruntime's int8 products saturate on this processor.
"""Imported by tests that compare numbers with onnxruntime, which must be installed."""
import functools

import numpy
import onnxruntime
from onnx import TensorProto, helper, numpy_helper


@functools.cache
def onnxruntime_saturates():
    """Whether onnxruntime adds pairs of products of uint8 and int8 in 16 bits, as it does on x86 without VNNI."""
    weights = numpy_helper.from_array(numpy.full((2, 1), 127, numpy.int8), "b")
    graph = helper.make_graph([helper.make_node("MatMulInteger", ["a", "b"], ["y"])], "g",
                              [helper.make_tensor_value_info("a", TensorProto.UINT8, (1, 2))],
                              [helper.make_tensor_value_info("y", TensorProto.INT32, (1, 1))], [weights])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    found = session.run(None, {"a": numpy.full((1, 2), 255, numpy.uint8)})[0]
    return found.item() != 2 * 255 * 127
