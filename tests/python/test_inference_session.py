# Signatures of onnxruntime: what its examples call.
import numpy
import pytest

import ortool as onnxruntime


def test_the_example_of_onnxruntimes_documentation_runs(digits_path, image):
    sess = onnxruntime.InferenceSession(str(digits_path), providers=["CPUExecutionProvider"])
    input_name = sess.get_inputs()[0].name
    label_name = sess.get_outputs()[0].name
    scores = sess.run([label_name], {input_name: image.astype(numpy.float32)})[0]
    assert scores.argmax() == 1
    scores += 1  # onnxruntime's outputs may be written to
    assert (sess.get_inputs()[0].shape, sess.get_inputs()[0].type) == (["batch", 1, 8, 8], "tensor(float)")
    assert sess.get_providers() == ["CPUExecutionProvider"]


def test_options_of_onnxruntime_are_mapped(digits_path, image):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    plain = onnxruntime.InferenceSession(digits_path, options)
    assert plain.run(None, {"image": image})[0].argmax() == 1


def test_a_provider_that_is_not_here_is_left_out_with_a_warning(digits_path):
    with pytest.warns(UserWarning, match="RocketExecutionProvider"):
        sess = onnxruntime.InferenceSession(digits_path, providers=["RocketExecutionProvider", "CPUExecutionProvider"])
    assert sess.get_providers() == ["CPUExecutionProvider"]
    assert "CPUExecutionProvider" in onnxruntime.get_available_providers()
