"""OrtValue and IOBinding: values and bound inputs and outputs under onnxruntime's names."""
from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

import numpy
from numpy import ndarray

from . import _values

TYPE_NAMES = {1: "float", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 8: "string", 9: "bool",
              10: "float16", 11: "double", 12: "uint32", 13: "uint64", 14: "complex64", 15: "complex128", 16: "bfloat16",
              17: "float8e4m3fn", 18: "float8e4m3fnuz", 19: "float8e5m2", 20: "float8e5m2fnuz", 21: "uint4", 22: "int4"}


class OrtValue:
    """A value in host memory: an array, or a list or dict where models have sequences and maps."""

    def __init__(self, value: Any) -> None:
        self._value = value

    @property
    def _ort_value(self) -> Any:
        return self._value

    @property
    def __array_struct__(self) -> Any:
        """The memory of a tensor, so that runs read it where it is."""
        return self._value.__array_struct__

    @staticmethod
    def ortvalue_from_numpy(numpy_obj: ndarray, device_type: str = "cpu", device_id: int = 0) -> OrtValue:
        """A value over the array's memory, not copied."""
        check_device(device_type)
        return OrtValue(numpy_obj)

    @staticmethod
    def ortvalue_from_shape_and_type(shape: Sequence[int], element_type: Any, device_type: str = "cpu", device_id: int = 0) -> OrtValue:
        """A value of zeros, as memory for an output. `element_type` is numpy's type or ONNX's number."""
        check_device(device_type)
        return OrtValue(numpy.zeros(tuple(shape), _dtype(element_type)))

    def numpy(self) -> Any:
        """The array; lists and dicts as they are."""
        return self._value

    def shape(self) -> List[int]:
        """The shape of a tensor."""
        return list(self._tensor().shape)

    def data_type(self) -> str:
        """The type, such as "tensor(float)"."""
        return f"tensor({TYPE_NAMES[self.element_type()]})"

    def element_type(self) -> int:
        """The element type of a tensor: ONNX's number."""
        return _number(self._tensor())

    def data_ptr(self) -> int:
        """The address of a tensor's elements."""
        return int(self._tensor().ctypes.data)

    def tensor_size_in_bytes(self) -> int:
        """The size of a tensor's elements."""
        return int(self._tensor().nbytes)

    def device_name(self) -> str:
        """Always "cpu"."""
        return "cpu"

    def has_value(self) -> bool:
        """False for an empty optional."""
        return self._value is not None

    def is_tensor(self) -> bool:
        """Whether it is a tensor."""
        return isinstance(self._value, ndarray)

    def is_tensor_sequence(self) -> bool:
        """Whether it is a sequence."""
        return isinstance(self._value, list)

    def is_sparse_tensor(self) -> bool:
        """Always false: sparse tensors are constants of models only."""
        return False

    def update_inplace(self, np_arr: ndarray) -> None:
        """Copies an array of the same type and shape to the memory."""
        array = self._tensor()
        if np_arr.dtype != array.dtype or np_arr.shape != array.shape:
            raise ValueError(f"an array of {np_arr.dtype}{list(np_arr.shape)} does not fit {array.dtype}{list(array.shape)}")
        array[...] = np_arr

    def _tensor(self) -> ndarray:
        if not isinstance(self._value, ndarray):
            raise ValueError(f"the value is a {type(self._value).__name__}, not a tensor")
        return self._value


class IOBinding:
    """Inputs and outputs of a session that are bound to memory."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self._inputs: Dict[str, Any] = {}
        self._outputs: Dict[str, Optional[ndarray]] = {}
        self._results: List[OrtValue] = []

    def bind_cpu_input(self, name: str, arr_on_cpu: Any) -> None:
        """Binds an input to an array."""
        self._inputs[name] = arr_on_cpu

    def bind_input(self, name: str, device_type: str, device_id: int, element_type: Any, shape: Sequence[int], buffer_ptr: int) -> None:
        """Binds an input to memory, which stays valid until runs are done."""
        check_device(device_type)
        self._inputs[name] = _memory_array(element_type, shape, buffer_ptr)

    def bind_ortvalue_input(self, name: str, ortvalue: OrtValue) -> None:
        """Binds an input to a value."""
        self._inputs[name] = ortvalue.numpy()

    def bind_output(self, name: str, device_type: str = "cpu", device_id: int = 0, element_type: Any = None,
                    shape: Optional[Sequence[int]] = None, buffer_ptr: Optional[int] = None) -> None:
        """Binds an output: to memory of the run's, or to memory at an address."""
        check_device(device_type)
        self._outputs[name] = None if buffer_ptr is None else _memory_array(element_type, shape or (), buffer_ptr)

    def bind_ortvalue_output(self, name: str, ortvalue: OrtValue) -> None:
        """Binds an output to the memory of a value."""
        self._outputs[name] = ortvalue.numpy()

    def clear_binding_inputs(self) -> None:
        """Unbinds all inputs."""
        self._inputs.clear()

    def clear_binding_outputs(self) -> None:
        """Unbinds all outputs."""
        self._outputs.clear()
        self._results = []

    def synchronize_inputs(self) -> None:
        """Does nothing: everything is in host memory."""

    def synchronize_outputs(self) -> None:
        """Does nothing: everything is in host memory."""

    def get_outputs(self) -> List[OrtValue]:
        """The outputs of the last run, in the order in which they were bound."""
        return list(self._results)

    def copy_outputs_to_cpu(self) -> List[Any]:
        """The outputs of the last run as arrays."""
        return [value.numpy() for value in self._results]

    def run(self, run_options: Any) -> None:
        """Runs the session: see InferenceSession.run_with_iobinding()."""
        results = self._session.run_into(list(self._outputs), self._inputs, run_options, list(self._outputs.values()))
        self._results = [OrtValue(result) for result in results]


def check_device(device_type: str) -> None:
    """Refuses memory of devices."""
    if device_type.lower() != "cpu":
        raise ValueError(f"ortool has no memory on the device {device_type!r}: use \"cpu\"")


def _dtype(element_type: Any) -> numpy.dtype:
    if not isinstance(element_type, int):
        return numpy.dtype(element_type)  # type: ignore[no-any-return]
    if element_type not in _values.DTYPES:
        raise ValueError(f"numpy has no element type for ONNX's {TYPE_NAMES.get(element_type, element_type)}")
    return numpy.dtype(_values.DTYPES[element_type])


def _number(array: ndarray) -> int:
    if array.dtype.kind in "USO":
        return _values.STRING
    return next(number for number, name in {**_values.DTYPES, **_values.EXTENDED}.items() if name == array.dtype.name)


def _memory_array(element_type: Any, shape: Sequence[int], address: int) -> ndarray:
    class Memory:
        __array_interface__ = {"version": 3, "shape": tuple(shape), "typestr": _dtype(element_type).str, "data": (address, False)}
    return numpy.asarray(Memory())
