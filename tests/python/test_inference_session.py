# Signatures of onnxruntime: what its examples call.
import json
import threading

import numpy
import pytest

import ortool as onnxruntime
import ortool as ort
from conftest import parse_model


def test_the_example_of_onnxruntimes_documentation_runs(digits_path, image):
    sess = onnxruntime.InferenceSession(str(digits_path), providers=["CPUExecutionProvider"])
    input_name = sess.get_inputs()[0].name
    label_name = sess.get_outputs()[0].name
    scores = sess.run([label_name], {input_name: image.astype(numpy.float32)})[0]
    assert scores.argmax() == 1
    scores += 1  # onnxruntime's outputs may be written to
    assert (sess.get_inputs()[0].shape, sess.get_inputs()[0].type) == (["batch", 1, 8, 8], "tensor(float)")
    assert sess.get_providers() == ["CPUExecutionProvider"]
    assert sess.get_provider_options() == {"CPUExecutionProvider": {}}


def test_options_of_onnxruntime_are_mapped(digits_path, image):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 2
    options.execution_mode = onnxruntime.ExecutionMode.ORT_PARALLEL
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    options.enable_mem_pattern = False
    options.add_free_dimension_override_by_name("batch", 1)
    plain = onnxruntime.InferenceSession(digits_path, options)
    assert plain.get_inputs()[0].shape == [1, 1, 8, 8]
    assert plain.run(None, {"image": image})[0].argmax() == 1
    assert plain.get_session_options() is options
    assert options.own()["optimize"] == "none" and options.own()["threads"] == 2


def test_options_without_a_counterpart_say_what_to_use():
    options = ort.SessionOptions()
    with pytest.raises(AttributeError, match="ortool.optimize"):
        options.optimized_model_filepath = "small.onnx"
    with pytest.raises(AttributeError, match="ortool.register_operators"):
        options.register_custom_ops_library("libcustom.so")
    with pytest.raises(AttributeError, match="intra_op_num_thread has no counterpart"):
        options.intra_op_num_thread = 3
    with pytest.warns(UserWarning, match="session.intra_op.allow_spinning"):
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    assert options.get_session_config_entry("session.intra_op.allow_spinning") == "0"
    with pytest.raises(AttributeError, match="ortool.quantize"):
        ort.quantization
    with pytest.raises(AttributeError, match="has no attribute 'InferenceSesion'"):
        ort.InferenceSesion
    assert ort.get_device() == "CPU" and "CPUExecutionProvider" in ort.get_all_providers()
    ort.set_default_logger_severity(3)


def test_a_provider_that_is_not_here_is_left_out_with_a_warning(digits_path):
    with pytest.warns(UserWarning, match="RocketExecutionProvider"):
        sess = onnxruntime.InferenceSession(digits_path, providers=[("RocketExecutionProvider", {"fuel": 1}), "CPUExecutionProvider"])
    assert sess.get_providers() == ["CPUExecutionProvider"]
    assert "CPUExecutionProvider" in onnxruntime.get_available_providers()
    with pytest.raises(AttributeError, match="make another session"):
        sess.set_providers(["CPUExecutionProvider"])


def test_types_are_named_as_by_onnxruntime():
    sess = ort.InferenceSession(parse_model("""g (seq(float[n]) s, float16[n, 2] h, optional(int64[n]) o, string[n] t, double d)
        => (bool a) { b = OptionalHasElement(o)  a = Not(b) }"""))
    assert [each.type for each in sess.get_inputs()] == ["seq(tensor(float))", "tensor(float16)", "optional(tensor(int64))",
                                                         "tensor(string)", "tensor(double)"]
    assert sess.get_inputs()[4].shape == []


def test_values_go_in_and_out_as_ort_values(digits_path, image):
    sess = ort.InferenceSession(digits_path)
    value = ort.OrtValue.ortvalue_from_numpy(image, "cpu", 0)
    assert (value.device_name(), value.shape(), value.data_type(), value.is_tensor()) == ("cpu", [1, 1, 8, 8], "tensor(float)", True)
    assert (value.element_type(), value.tensor_size_in_bytes(), value.has_value()) == (1, 256, True)
    assert value.data_ptr() == image.ctypes.data
    (scores,) = sess.run_with_ort_values(["scores"], {"image": value})
    assert scores.numpy().argmax() == 1
    assert sess.run(None, {"image": value})[0].argmax() == 1
    other = ort.OrtValue.ortvalue_from_shape_and_type([1, 1, 8, 8], numpy.float32)
    other.update_inplace(image)
    assert numpy.array_equal(other.numpy(), image)
    with pytest.raises(ValueError, match="does not fit"):
        other.update_inplace(image[0])
    sequences = ort.InferenceSession(parse_model("""g (seq(float[n]) s, string[n] t) => (int64 l, string[n] u)
        { l = SequenceLength(s)  u = Identity(t) }"""))
    values = {"s": ort.OrtValue([image, image]), "t": ort.OrtValue(numpy.array(["a", "b"]))}
    length, texts = sequences.run_with_ort_values(None, values)
    assert length.numpy() == 2 and texts.numpy().tolist() == ["a", "b"] and texts.data_type() == "tensor(string)"
    with pytest.raises(ValueError, match="cuda"):
        ort.OrtValue.ortvalue_from_numpy(image, "cuda", 0)


def test_inputs_and_outputs_are_bound(digits_path, image):
    sess = ort.InferenceSession(digits_path)
    binding = sess.io_binding()
    binding.bind_cpu_input("image", image)
    binding.bind_output("scores")
    sess.run_with_iobinding(binding)
    assert binding.copy_outputs_to_cpu()[0].argmax() == 1
    expected = binding.get_outputs()[0].numpy()

    x = ort.OrtValue.ortvalue_from_numpy(image)
    y = ort.OrtValue.ortvalue_from_shape_and_type([1, 10], 1)
    binding = sess.io_binding()
    binding.bind_input(name="image", device_type=x.device_name(), device_id=0, element_type=numpy.float32, shape=x.shape(),
                       buffer_ptr=x.data_ptr())
    binding.bind_output(name="scores", device_type=y.device_name(), device_id=0, element_type=numpy.float32, shape=y.shape(),
                        buffer_ptr=y.data_ptr())
    sess.run_with_iobinding(binding)
    assert numpy.array_equal(y.numpy(), expected)
    binding.clear_binding_outputs()
    binding.bind_ortvalue_output("scores", ort.OrtValue.ortvalue_from_shape_and_type([1, 9], numpy.float32))
    with pytest.raises(ort.Error, match="scores"):
        sess.run_with_iobinding(binding)


def test_a_run_is_terminated_and_its_options_are_used_again(digits_path, image):
    sess = ort.InferenceSession(digits_path)
    options = ort.RunOptions()
    options.log_severity_level = 3
    assert sess.run(None, {"image": image}, options)[0].argmax() == 1
    options.terminate = True
    with pytest.raises(ort.Error) as raised:
        sess.run(None, {"image": image}, options)
    assert raised.value.status == ort.Status.INTERRUPTED and options.terminate
    options.terminate = False
    assert sess.run(None, {"image": image}, options)[0].argmax() == 1
    with pytest.raises(AttributeError, match="for inference"):
        options.training_mode = True


def test_a_run_in_another_thread_calls_back(digits_path, image):
    sess = ort.InferenceSession(digits_path)
    done = threading.Event()
    told = []

    def callback(results, user_data, error):
        told.append((results, user_data, error))
        done.set()
    sess.run_async(["scores"], {"image": image}, callback, "data")
    assert done.wait(60)
    done.clear()
    sess.run_async(["scores"], {"imgae": image}, callback, None)
    assert done.wait(60)
    assert told[0][0][0].argmax() == 1 and told[0][1:] == ("data", "")
    assert told[1][0] == [] and "imgae" in told[1][2]


def test_the_metadata_of_a_model_is_read_from_a_path_and_from_bytes(digits_path):
    for source in (digits_path, digits_path.read_bytes()):
        meta = ort.InferenceSession(source).get_modelmeta()
        assert meta.producer_name.startswith("ortool") and meta.graph_name == "digits" and "handwritten" in meta.description
        assert meta.custom_metadata_map == {}


def test_profiling_writes_the_trace_of_all_runs(digits_path, image, tmp_path):
    options = ort.SessionOptions()
    options.enable_profiling = True
    options.profile_file_prefix = str(tmp_path / "profile")
    sess = ort.InferenceSession(digits_path, options)
    for _ in range(3):
        sess.run(None, {"image": image})
    with open(sess.end_profiling(), encoding="utf-8") as file:
        events = json.load(file)
    names = [event["name"] for event in events]
    assert names.count("model_run") == 3 and names.count("session_initialization") == 1
    runs = [event["ts"] for event in events if event["name"] == "model_run"]
    assert runs == sorted(runs)
