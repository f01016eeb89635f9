# Values of the Python package: arrays and DLPack in and out without copies, strings, sequences, maps, rare types.
import gc
import weakref

import numpy
import pytest

import ortool

DTYPES = ["float32", "float64", "float16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"]
ONNX_NAMES = {"float32": "float", "float64": "double"}


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_element_type_of_numpy_goes_in_and_out(make_session, dtype):
    name = ONNX_NAMES.get(dtype, dtype)
    session = make_session(f"g ({name}[n, m] x) => ({name}[m, n] y) {{ y = Transpose(x) }}")
    x = (numpy.arange(6).reshape(2, 3) % 2).astype(dtype)
    y = session.run(None, {"x": x})[0]
    assert y.dtype == x.dtype and numpy.array_equal(y, x.T)


def test_values_view_arrays_and_arrays_view_values():
    x = numpy.arange(12, dtype=numpy.int64).reshape(3, 4)
    value = ortool.Value.view(x)
    assert (value.kind, value.type, value.shape) == (1, 7, (3, 4))
    assert numpy.shares_memory(numpy.asarray(value), x)
    assert numpy.shares_memory(numpy.from_dlpack(value), x)


def test_a_read_only_array_is_read_where_it_is(make_session):
    x = numpy.arange(4, dtype=numpy.float32)
    x.setflags(write=False)
    assert numpy.shares_memory(numpy.asarray(ortool.Value.view(x)), x)
    session = make_session("g (float[4] x) => (float[4] y) { y = Neg(x) }")
    assert session.run(None, {"x": x})[0].tolist() == [0, -1, -2, -3]


def test_a_dlpack_tensor_without_numpy_is_read_where_it_is(make_session):
    class Tensor:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__()

        def __dlpack_device__(self):
            return (1, 0)
    x = numpy.arange(4, dtype=numpy.float32)
    assert numpy.shares_memory(numpy.asarray(ortool.Value.view(Tensor(x))), x)
    session = make_session("g (float[4] x) => (float[4] y) { y = Neg(x) }")
    assert session.run(None, {"x": Tensor(x)})[0].tolist() == [-0.0, -1, -2, -3]


def test_a_value_keeps_the_array_that_it_views():
    class Array(numpy.ndarray):
        pass
    x = numpy.arange(4, dtype=numpy.float32).view(Array)
    watch = weakref.ref(x)
    value = ortool.Value.view(x)
    del x
    gc.collect()
    assert watch() is not None and numpy.asarray(value).tolist() == [0, 1, 2, 3]
    del value
    gc.collect()
    assert watch() is None


def test_outputs_are_not_copied_and_read_only(make_session):
    session = make_session("g (float[n] x) => (float[n] y) { y = Neg(x) }")
    y = session.run(None, {"x": numpy.ones(8, numpy.float32)})[0]
    assert any(isinstance(owner, ortool.Value) for owner in y.base) and not y.flags.owndata
    with pytest.raises(ValueError):
        y[0] = 1


def test_an_output_in_the_memory_of_an_input_is_copied(make_session):
    session = make_session("g (float[n] x) => (float[n] y) { y = Identity(x) }")
    x = numpy.ones(8, numpy.float32)
    y = session.run(None, {"x": x})[0]
    x[:] = 5
    assert y.tolist() == [1] * 8


def test_outputs_are_written_to_memory_of_the_caller(make_session):
    session = make_session("""g (float[n] x) => (float[n] y, float[n] z, string[1] t)
        { y = Neg(x)  z = Abs(x)  t = Constant <value_strings = ["a"]> () }""")
    x = numpy.arange(4, dtype=numpy.float32)
    memory = numpy.zeros(4, numpy.float32)
    y, z, _ = session.run(None, {"x": x}, out={"y": memory})
    assert y is memory and memory.tolist() == [0, -1, -2, -3] and z.tolist() == [0, 1, 2, 3]
    # The memory may be larger.
    z = session.run(["z"], {"x": x[:2]}, out={"z": memory})[0]
    assert z.tolist() == [0, 1] and numpy.shares_memory(z, memory)
    with pytest.raises(ortool.Error, match="'y'"):
        session.run(["y"], {"x": x}, out={"y": memory[:2]})
    with pytest.raises(ortool.Error, match="'y'"):
        session.run(["y"], {"x": x}, out={"y": numpy.zeros(4)})
    with pytest.raises(TypeError, match="contiguous"):
        session.run(["y"], {"x": x}, out={"y": numpy.zeros(8, numpy.float32)[::2]})
    with pytest.raises(ValueError, match="none of the outputs"):
        session.run(["y"], {"x": x}, out={"z": memory})
    memory.setflags(write=False)
    with pytest.raises(ValueError, match="read-only"):
        session.run(["y"], {"x": x}, out={"y": memory})


@pytest.mark.parametrize("change", [lambda x: x.T, lambda x: x[::2], lambda x: x.astype(">f4"), lambda x: x.tolist(),
                                    lambda x: numpy.asfortranarray(x)])
def test_arrays_that_are_not_contiguous_or_native_are_converted(make_session, change):
    session = make_session("g (float[n, m] x) => (float[n, m] y) { y = Neg(x) }")
    x = change(numpy.arange(16, dtype=numpy.float32).reshape(4, 4))
    assert numpy.array_equal(session.run(None, {"x": x})[0], -numpy.asarray(x, dtype=numpy.float32))


def test_scalars_and_empty_arrays(make_session):
    session = make_session("g (float x, float[n] e) => (float y, float[n] f) { y = Neg(x)  f = Neg(e) }")
    for x in (2.5, numpy.float32(2.5), numpy.array(2.5, numpy.float32)):
        y, f = session.run(None, {"x": x, "e": numpy.zeros(0, numpy.float32)})
        assert y.shape == () and y == -2.5 and f.shape == (0,)


def test_strings(make_session):
    session = make_session("g (string[n] x) => (string[n] y) { y = Identity(x) }")
    for texts in (["a", "", "größe"], numpy.array(["a", "", "größe"]), numpy.array(["a", "", "größe"], dtype=object)):
        y = session.run(None, {"x": texts})[0]
        assert y.dtype == object and y.tolist() == ["a", "", "größe"]


def test_sequences(make_session):
    session = make_session("g (seq(float[n]) x) => (seq(float[n]) y, int64 n) { y = Identity(x)  n = SequenceLength(x) }")
    given = [numpy.ones(2, numpy.float32), numpy.zeros(3, numpy.float32)]
    y, count = session.run(None, {"x": given})
    given[0][:] = 7
    assert count == 2 and [each.tolist() for each in y] == [[1, 1], [0, 0, 0]]


def test_an_optional_input_may_be_none(make_session):
    session = make_session("g (optional(float[n]) x) => (bool y) { y = OptionalHasElement(x) }")
    assert session.run(None, {"x": None})[0] == numpy.False_
    assert session.run(None, {"x": numpy.ones(1, numpy.float32)})[0] == numpy.True_


def test_bfloat16_comes_as_an_array_of_ml_dtypes(make_session):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    session = make_session("g (bfloat16[n] x) => (bfloat16[n] y) { y = Identity(x) }")
    x = numpy.array([1.5, -2], ml_dtypes.bfloat16)
    y = session.run(None, {"x": x})[0]
    assert y.dtype == x.dtype and y.tolist() == [1.5, -2]


def test_what_is_no_value_is_refused(make_session):
    session = make_session("g (float[n] x) => (float[n] y) { y = Neg(x) }")
    for wrong in (object(), numpy.zeros(1, "datetime64[s]"), numpy.zeros(1, "V3")):
        with pytest.raises((TypeError, ValueError, ortool.Error)):
            session.run(None, {"x": wrong})
    assert ortool.Value.view(3) is None
