# Python functions as operators: operands, attributes, shapes, errors, threads, and how long they live.
import gc
import os
import signal
import threading
import weakref

import numpy
import onnx.parser
import pytest

import ortool

DOMAIN = "test.python"


def model_of(graph, version=1):
    header = f'<ir_version: 8, opset_import: ["" : 17, "{DOMAIN}" : {version}]>\n'
    return onnx.parser.parse_model(header + graph).SerializeToString()


def session_of(graph, version=1, **options):
    return ortool.Session(model_of(graph, version), **{"threads": 1, **options})


@pytest.fixture(autouse=True)
def remove_operators():
    yield
    for key in list(ortool.operators._registered):
        ortool.operators._replace(key, {})


X = numpy.array([1, -2, 3], numpy.float32)
UNARY = f"g (float[n] x) => (float[n] y) {{ y = {DOMAIN}.Op (x) }}"


def test_a_function_computes_an_operator_over_the_inputs_memory():
    addresses = []

    @ortool.operator("Op", DOMAIN)
    def double(x):
        addresses.append(x.ctypes.data)
        assert not x.flags.writeable
        return 2 * x
    session = session_of(UNARY, optimize="none")
    assert session.run(None, {"x": X})[0].tolist() == [2, -4, 6]
    assert addresses == [X.ctypes.data]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "int32", "int64", "uint8", "bool"])
def test_element_types(dtype):
    ortool.register_operator("Op", DOMAIN, lambda x: x[::-1])
    name = {"float32": "float", "float64": "double"}.get(dtype, dtype)
    session = session_of(f"g ({name}[n] x) => ({name}[n] y) {{ y = {DOMAIN}.Op (x) }}")
    x = (numpy.arange(5) % 3).astype(dtype)
    y = session.run(None, {"x": x})[0]
    assert y.dtype == x.dtype and y.tolist() == x[::-1].tolist()


def test_bfloat16_is_an_array_of_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    ortool.register_operator("Op", DOMAIN, lambda x: x + x)
    session = session_of(f"g (bfloat16[n] x) => (bfloat16[n] y) {{ y = {DOMAIN}.Op (x) }}")
    assert session.run(None, {"x": numpy.array([1.5, -2], ml_dtypes.bfloat16)})[0].tolist() == [3, -4]


def test_attributes_are_keywords():
    @ortool.operator("Op", DOMAIN)
    def op(x, *, factor=1.0, times=1, mode="plain", axes=(), weights=(), names=(), table=None):
        return x * factor * times * sum(weights) * (2 if mode == "double" and list(axes) == [0, 1] and names == ["a", "b"] else 1) + table.sum()
    session = session_of(f"""g (float[n] x) => (float[n] y) {{ y = {DOMAIN}.Op <factor = 0.5, times = 4, mode = "double", axes = [0, 1],
        weights = [1.0, 2.0], names = ["a", "b"], table = float[2] {{1, 2}}> (x) }}""")
    assert session.run(None, {"x": X})[0].tolist() == (X * 12 + 3).tolist()


def test_attributes_that_do_not_fit_are_refused():
    ortool.register_operator("Op", DOMAIN, lambda x, *, factor: x * factor)
    with pytest.raises(ortool.Error, match="lacks the attribute 'factor'"):
        session_of(UNARY)
    with pytest.raises(ortool.Error, match="has the attribute 'other', which the function does not take"):
        session_of(f"g (float[n] x) => (float[n] y) {{ y = {DOMAIN}.Op <factor = 1.0, other = 2> (x) }}")
    ortool.register_operator("Op", DOMAIN, lambda x, **attributes: x * attributes["factor"])
    assert session_of(f"g (float[n] x) => (float[n] y) {{ y = {DOMAIN}.Op <factor = 2.0, other = 2> (x) }}").run(None, {"x": X})[0][0] == 2


def test_variadic_and_optional_inputs():
    seen = []

    @ortool.operator("Op", DOMAIN)
    def add_all(first, *more):
        seen.append(len(more))
        return first + sum(each for each in more if each is not None)

    @ortool.operator("Other", DOMAIN)
    def other(x, bias=None):
        return x if bias is None else x + bias
    session = session_of(f"""g (float[n] a, float[n] b) => (float[n] y, float[n] z) {{
        s = {DOMAIN}.Op (a, , b)  y = {DOMAIN}.Other (s)  z = {DOMAIN}.Other (s, b) }}""")
    y, z = session.run(None, {"a": X, "b": X})
    assert y.tolist() == (2 * X).tolist() and z.tolist() == (3 * X).tolist() and seen == [2]
    with pytest.raises(ortool.Error, match="has 3 inputs, its library expects 1 to 2"):
        session_of(f"g (float[n] a) => (float[n] y) {{ y = {DOMAIN}.Other (a, a, a) }}")


def test_several_outputs_some_of_them_left_out():
    ortool.register_operator("Op", DOMAIN, lambda x: (x, -x, x * x), outputs=(1, 3))
    first, third = session_of(f"g (float[n] x) => (float[n] a, float[n] c) {{ a, , c = {DOMAIN}.Op (x) }}").run(None, {"x": X})
    assert first.tolist() == X.tolist() and third.tolist() == (X * X).tolist()
    assert len(session_of(UNARY).run(None, {"x": X})) == 1


def test_strings():
    ortool.register_operator("Op", DOMAIN, lambda x: numpy.array([text + "!" for text in x], dtype=object), types=["string"])
    session = session_of(f"g (string[n] x) => (string[n] y) {{ y = {DOMAIN}.Op (x) }}")
    assert session.run(None, {"x": ["hey", "", "größe"]})[0].tolist() == ["hey!", "!", "größe!"]


def test_a_function_may_write_to_the_output():
    @ortool.operator("Op", DOMAIN)
    def double(x, *, out):
        numpy.multiply(x, 2, out=out)

    @ortool.operator("Split", DOMAIN, outputs=2)
    def split(x, *, out):
        out[0][...], out[1][...] = numpy.maximum(x, 0), numpy.minimum(x, 0)
    assert repr(double) == f"<ortool.Operator {DOMAIN}.Op, version 1>"
    session = session_of(f"g (float[n] x) => (float[n] a, float[n] b) {{ y = {DOMAIN}.Op (x)  a, b = {DOMAIN}.Split (y) }}")
    assert [each.tolist() for each in session.run(None, {"x": X})] == [[2, 0, 6], [0, -4, 0]]
    ortool.register_operator("Op", DOMAIN, lambda x, *, out: x)
    with pytest.raises(ortool.Error, match="a function that is given its outputs returns None"):
        session_of(UNARY).run(None, {"x": X})


def test_shapes_are_formulas_over_symbols():
    @ortool.operator("Op", DOMAIN, infer=lambda x: (x.dtype, (f"2*({x.shape[0]})" if isinstance(x.shape[0], str) else 2 * x.shape[0],)))
    def twice(x):
        return numpy.concatenate([x, x])
    session = session_of(f"g (float[n] x) => (float[m] y) {{ a = {DOMAIN}.Op (x)  y = {DOMAIN}.Op (a) }}")
    assert session.outputs[0].shape == ("4*n",)
    for size in (1, 3, 5):
        assert session.run(None, {"x": numpy.ones(size, numpy.float32)})[0].shape == (4 * size,)


def test_shapes_may_depend_on_known_values():
    def infer(x, size):
        known = size.value
        return [ortool.TensorType(x.dtype, None if known is None else tuple(known.tolist()))]
    ortool.register_operator("Op", DOMAIN, lambda x, size: numpy.resize(x, size), infer=infer)
    session = session_of(f"g (float[n] x, int64[2] size) => (float[a, b] y) {{ y = {DOMAIN}.Op (x, size) }}")
    for size in ([2, 3], [1, 4]):
        assert session.run(None, {"x": X, "size": numpy.array(size)})[0].shape == tuple(size)
    with pytest.raises(RuntimeError, match="infer"):
        ortool._native.infer_value(0)


def test_shapes_that_depend_on_data():
    ortool.register_operator("Op", DOMAIN, lambda x: x[x > 0], dynamic=True, infer=lambda x: (x.dtype, (None,)))
    session = session_of(f"g (float[n] x) => (float[m] y) {{ p = {DOMAIN}.Op (x)  y = Neg (p) }}")
    assert session.run(None, {"x": X})[0].tolist() == [-1, -3]
    assert session.run(None, {"x": -numpy.ones(2, numpy.float32)})[0].shape == (0,)
    # A result in the memory of an input is copied.
    ortool.register_operator("Op", DOMAIN, lambda x: x[1:], dynamic=True)
    session = session_of(f"g (float[n] x) => (float[m] y) {{ y = {DOMAIN}.Op (x) }}")
    x = X.copy()
    y = session.run(None, {"x": x})[0]
    x[:] = 0
    assert y.tolist() == [-2, 3]


def test_bodies_of_if_and_loop():
    ortool.register_operator("Op", DOMAIN, lambda x: 2 * x)
    session = session_of(f"""g (float[n] x, bool c, int64 k) => (float[n] y, float[n] z) {{
        yes = Constant <value = bool {{1}}> ()
        y = If (c) <then_branch = t () => (float[n] a) {{ a = {DOMAIN}.Op (x) }}, else_branch = e () => (float[n] b) {{ b = Neg (x) }}>
        z = Loop (k, yes, x) <body = l (int64 i, bool d, float[n] v) => (bool e, float[n] w)
            {{ e = Identity (d)  w = {DOMAIN}.Op (v) }}> }}""")
    y, z = session.run(None, {"x": X, "c": numpy.array(True), "k": numpy.array(3)})
    assert y.tolist() == (2 * X).tolist() and z.tolist() == (8 * X).tolist()


def test_versions():
    ortool.register_operator("Op", DOMAIN, lambda x: x + 1)
    ortool.register_operator("Op", DOMAIN, lambda x: x + 3, version=3)
    assert session_of(UNARY, version=2).run(None, {"x": X})[0][0] == 2
    assert session_of(UNARY, version=3).run(None, {"x": X})[0][0] == 4


def test_inference_session_takes_them_too():
    ortool.register_operator("Op", DOMAIN, lambda x: 2 * x)
    assert ortool.InferenceSession(model_of(UNARY)).run(None, {"x": X})[0].tolist() == [2, -4, 6]


def test_commands_take_them_too(tmp_path):
    ortool.register_operator("Op", DOMAIN, lambda x: 2 * x)
    (tmp_path / "model.onnx").write_bytes(model_of(f"g (float[n] x) => (float[n] y) {{ a = {DOMAIN}.Op (x)  y = Identity (a) }}"))
    report = ortool.optimize(tmp_path / "model.onnx", tmp_path / "small.onnx", dim=["n=3"])
    assert report["exit_code"] == 0
    assert ortool.Session(tmp_path / "small.onnx").run(None, {"x": X})[0].tolist() == [2, -4, 6]


def test_the_list_of_kernels_has_them_as_long_as_they_are_registered():
    def listed():
        kernels = ortool.command("providers", kernels=True)["kernels"]
        return [(row["domain"], row["types"]) for row in kernels if row["name"] == "program:Op"]
    registered = ortool.register_operator("Op", DOMAIN, lambda x: x, types=["float32", "string"])
    assert listed() == [(DOMAIN, "float32, string")]
    registered.remove()
    assert listed() == []


class Wrong(Exception):
    pass


def raise_wrong(x):
    raise Wrong("the moon is full")


@pytest.mark.parametrize("threads,execution", [(1, "sequential"), (4, "parallel")])
def test_an_exception_is_the_cause_of_one_error(threads, execution):
    ortool.register_operator("Op", DOMAIN, raise_wrong)
    session = session_of(f"g (float[n] x) => (float[n] y, float[n] z) {{ [it] y = {DOMAIN}.Op (x)  z = Neg (x) }}", threads=threads,
                         execution=execution)
    for _ in range(3):
        with pytest.raises(ortool.Error) as raised:
            session.run(None, {"x": X})
        assert raised.value.message == ("node 'it' (Op): Wrong: the moon is full (custom operator of Python function 'raise_wrong' "
                                        f"(test_operators.py:{raise_wrong.__code__.co_firstlineno}))")
        assert isinstance(raised.value.__cause__, Wrong)
        assert raised.value.__cause__.__traceback__ is not None


@pytest.mark.parametrize("function,text", [
    (lambda x: x.astype(numpy.float64), "output 0 is float64[3], but its shape function said float32[3]"),
    (lambda x: x[:2], "output 0 is float32[2], but its shape function said float32[3]"),
    (lambda x: None, "the function returned None"),
    (lambda x: "text", "could not convert"),
    (lambda x: x.__setitem__(0, 1), "read-only"),
])
def test_wrong_results_are_refused(function, text):
    ortool.register_operator("Op", DOMAIN, function)
    with pytest.raises(ortool.Error) as raised:
        session_of(UNARY).run(None, {"x": X})
    assert text in raised.value.message and "\n" not in raised.value.message


def test_wrong_shape_functions_are_refused():
    for infer, text in ((lambda x: 3, "not (dtype, shape)"), (lambda x: ("float99", ()), "'float99' is no element type"), (raise_wrong, "moon"),
                        (lambda x: [], "returned 0 outputs, the node has 1")):
        ortool.register_operator("Op", DOMAIN, lambda x: x, infer=infer)
        with pytest.raises(ortool.Error) as raised:
            session_of(UNARY)
        assert text in raised.value.message
    ortool.register_operator("Op", DOMAIN, lambda x: x[:1], dynamic=True, infer=lambda x: (x.dtype, (3,)))
    with pytest.raises(ortool.Error, match=r"made as float32\[1\], but infer\(\) said float32\[3\]"):
        session_of(f"g (float[n] x) => (float[m] y) {{ y = {DOMAIN}.Op (x) }}").run(None, {"x": X})


def test_an_array_that_is_kept_is_an_error_and_never_read_again():
    kept = []
    ortool.register_operator("Op", DOMAIN, lambda x: kept.append(x[1:]) or x)
    session = session_of(UNARY)
    with pytest.raises(ortool.Error, match="keeps an array that it was given"):
        session.run(None, {"x": X})
    kept.clear()
    # Frames of an exception keep none, and neither does a cycle.
    ortool.register_operator("Op", DOMAIN, raise_wrong)
    with pytest.raises(ortool.Error) as raised:
        session_of(UNARY).run(None, {"x": X})
    frame = raised.value.__cause__.__traceback__
    while frame.tb_next is not None:
        frame = frame.tb_next
    assert "x" not in frame.tb_frame.f_locals

    def cycle(x):
        loop = [x]
        loop.append(loop)
        return x
    ortool.register_operator("Op", DOMAIN, cycle)
    assert session_of(UNARY).run(None, {"x": X})[0].tolist() == X.tolist()


def test_packed_elements_are_refused():
    ortool.register_operator("Op", DOMAIN, lambda x: x)
    with pytest.raises(ortool.Error, match="ONNX's type 22 are packed"):
        session_of(f"g (int4[n] x) => (int4[n] y) {{ y = {DOMAIN}.Op (x) }}")
    ortool.register_operator("Op", DOMAIN, lambda x: x, infer=lambda x: x)
    with pytest.raises(ortool.Error, match="are packed"):
        session_of(f"g (int4[n] x) => (int4[n] y) {{ y = {DOMAIN}.Op (x) }}")


def test_registering_is_checked():
    for wrong in (dict(types=["float99"]), dict(function=lambda x, *, out: None, dynamic=True), dict(function=max), dict(outputs=(2, 1))):
        with pytest.raises((ValueError, ortool.Error)):
            ortool.register_operator("Op", DOMAIN, wrong.pop("function", lambda x: x), **wrong)
    with pytest.raises(ortool.Error, match="no domain of its own"):
        ortool.register_operator("Op", "", lambda x: x)
    with pytest.raises(ortool.Error, match="com.microsoft.Gelu is in the catalog already"):
        ortool.register_operator("Gelu", "com.microsoft", lambda x: x)
    ortool.register_operator("Op", DOMAIN, lambda x: x, types=["float32", "int64"])
    with pytest.raises(ortool.Error, match="input 0 is float64, its library takes float32, int64"):
        session_of(f"g (double[n] x) => (double[n] y) {{ y = {DOMAIN}.Op (x) }}")


def test_a_function_is_replaced_for_new_sessions():
    ortool.register_operator("Op", DOMAIN, lambda x: x + 1)
    before = session_of(UNARY)
    ortool.register_operator("Op", DOMAIN, lambda x: x + 10)
    assert before.run(None, {"x": X})[0][0] == 2
    assert before.run(None, {"x": X[:1]})[0][0] == 2
    assert session_of(UNARY).run(None, {"x": X})[0][0] == 11


def test_a_function_lives_as_long_as_it_is_registered_or_a_session_has_it():
    class Function:
        def __call__(self, x):
            return x + 1
    function = Function()
    watch = weakref.ref(function)
    registered = ortool.register_operator("Op", DOMAIN, function)
    del function
    session = session_of(UNARY)
    registered.remove()
    with pytest.raises(ValueError, match="not registered"):
        registered.remove()
    del registered
    gc.collect()
    assert watch() is not None and session.run(None, {"x": X[:2]})[0].tolist() == [2, -1]
    del session
    gc.collect()
    assert watch() is None
    with pytest.raises(ortool.Error, match="Op"):
        session_of(UNARY)


def test_eight_threads_run_a_session_and_the_function_runs_another():
    inner = ortool.Session(model_of("g (float[n] x) => (float[n] y) { y = Neg (x) }"), threads=2)
    ortool.register_operator("Op", DOMAIN, lambda x: inner.run(None, {"x": x.copy()})[0])
    session = session_of(f"""g (float[n] x) => (float[n] y, float[n] z) {{ a = {DOMAIN}.Op (x)  b = {DOMAIN}.Op (a)
        y = {DOMAIN}.Op (b)  z = {DOMAIN}.Op (x) }}""", threads=2, execution="parallel")
    wrong = []

    def work(size):
        for number in range(40):
            x = numpy.full(size + number % 3, size, numpy.float32)
            y, z = session.run(None, {"x": x})
            if y.tolist() != (-x).tolist() or z.tolist() != (-x).tolist():
                wrong.append(size)
    threads = [threading.Thread(target=work, args=(size,)) for size in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_ctrl_c_ends_a_function():
    def endless(x):
        threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        while True:
            pass
    ortool.register_operator("Op", DOMAIN, endless)
    session = session_of(UNARY)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            session.run(None, {"x": X})
    ortool.register_operator("Op", DOMAIN, lambda x: x)
    assert session_of(UNARY).run(None, {"x": X})[0].tolist() == X.tolist()
