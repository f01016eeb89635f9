"""Operators that Python functions compute."""
from __future__ import annotations

import gc
import inspect
import os
import threading
import traceback
import weakref
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy

from . import _native, _values

Dimension = Union[int, str, None]
Function = Callable[..., Any]
_NUMBERS = {**{name: number for number, name in _values.DTYPES.items()},
            **{name: number for number, name in _values.EXTENDED.items()}, "string": _values.STRING, "str": _values.STRING}
_NAMES = {**_values.DTYPES, **_values.EXTENDED, _values.STRING: "string"}
_UNLIMITED = -1


class TensorType(NamedTuple):
    """The element type and shape of an operand, as a function for shapes gets and returns it."""

    dtype: str  #: numpy's name, "bfloat16" and its like, or "string"
    shape: Optional[Tuple[Dimension, ...]]  #: numbers, formulas over symbols such as "2*n", None where nothing is known; None: no rank


class InputType(TensorType):
    """What is known of an input: its type, its shape, and the elements if they are constant."""

    _position = -1

    @property
    def value(self) -> Optional[numpy.ndarray]:
        """The elements if they are known, else None. Ask only where shapes depend on them."""
        elements = _native.infer_value(self._position)
        if elements is None or self.shape is None:
            return None
        return numpy.frombuffer(elements, dtype=_dtype(_NUMBERS[self.dtype])).reshape(self.shape)


class Operator:
    """An operator that a Python function computes, as register_operator() returns it."""

    def __init__(self, function: Function, name: str, domain: str, version: int, types: Optional[Sequence[Any]],
                 inputs: Union[int, Tuple[int, Optional[int]], None], outputs: Union[int, Tuple[int, Optional[int]]],
                 infer: Optional[Function], dynamic: bool) -> None:
        self.function = function
        self.name = name
        self.domain = domain
        self.version = version
        self._infer_function = infer
        self._is_dynamic = dynamic
        self._types = None if types is None else tuple(_number(each) for each in types)
        self._attributes = _attribute_names(function)
        self._infer_attributes = _attribute_names(infer) if infer is not None else _AttributeNames({}, True)
        self._takes_outputs = self._attributes.defaults.pop("out", None) is not None
        self._inputs = _range(inputs) if inputs is not None else _input_range(function)
        self._outputs = _range(outputs)
        if self._takes_outputs and dynamic:
            raise ValueError(f"{name}: a function that is given its outputs cannot be dynamic, since shapes are known before it is called")

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Calls the function."""
        return self.function(*arguments, **keywords)

    def __repr__(self) -> str:
        return f"<ortool.Operator {self.domain}.{self.name}, version {self.version}>"

    def remove(self) -> None:
        """Removes the operator: models that are loaded from then on do not find it. Sessions keep it."""
        with _lock:
            versions = dict(_registered.get((self.domain, self.name), {}))
            if versions.pop(self.version, None) is not self:
                raise ValueError(f"{self!r} is not registered")
            _replace((self.domain, self.name), versions)

    def _row(self) -> Tuple[Any, ...]:
        return (_Calls(self), self.name, self.domain, self.version, self._inputs, self._outputs, self._types, self._is_dynamic)

    def _origin(self) -> str:
        code = getattr(inspect.unwrap(self.function), "__code__", None)
        name = getattr(self.function, "__qualname__", repr(self.function))
        return f"Python function '{name}'" + (f" ({os.path.basename(code.co_filename)}:{code.co_firstlineno})" if code else "")


class _Calls:
    """The methods that the engine calls."""

    def __init__(self, operator: Operator) -> None:
        self._operator = operator

    def _infer(self, inputs: Tuple[Any, ...], attributes: Dict[str, Any], count: int) -> List[Tuple[int, Any]]:
        operator = self._operator
        operator._attributes.choose(_plain(attributes))
        given = []
        for index, each in enumerate(inputs):
            info = None if each is None else InputType(_name(each[0]), each[1])
            if info is not None:
                info._position = index
            given.append(info)
        if operator._infer_function is None:
            first = next((info for info in given if info is not None), None)
            if first is None:
                raise TypeError("without inputs it needs a function for shapes: infer=")
            shape = None if operator._is_dynamic else first.shape
            return [(_NUMBERS[first.dtype], shape)] * count
        result = operator._infer_function(*given, **operator._infer_attributes.choose(_plain(attributes), is_strict=False))
        outputs = list(result) if isinstance(result, list) else [result]
        if len(outputs) < count:
            raise ValueError(f"the function for shapes returned {len(outputs)} outputs, the node has {count}")
        return [_description(each) for each in outputs]

    def _run(self, inputs: Tuple[Any, ...], attributes: Dict[str, Any], outputs: Optional[Tuple[Any, ...]],
             count: int) -> Optional[List[Any]]:
        memories: List[Any] = []
        failure = None
        made = None
        try:
            made = self._compute(inputs, attributes, outputs, count, memories)
        except BaseException as error:
            # Frames in the traceback would keep arrays over memory that ends with the call.
            _clear_frames(error)
            failure = error
        if any(memory() is not None for memory in memories):
            gc.collect()
        if any(memory() is not None for memory in memories):
            raise TypeError("the function keeps an array that it was given, whose memory ends with the call: keep a copy") from failure
        if failure is not None:
            try:
                raise failure
            finally:
                failure = None
        return made

    def _compute(self, inputs: Tuple[Any, ...], attributes: Dict[str, Any], outputs: Optional[Tuple[Any, ...]], count: int,
                 memories: List[Any]) -> Optional[List[Any]]:
        operator = self._operator
        arrays = [_array(each, memories, False) for each in inputs]
        keywords = operator._attributes.choose(_plain(attributes, memories))
        if outputs is None:
            if operator._takes_outputs:
                raise TypeError("a function is not given outputs that are strings: return them")
            results = _results(operator.function(*arrays, **keywords), count)
            return [None if each is None else _made(each, arrays) for each in results]
        targets = [_array(each, memories, True) for each in outputs]
        if not operator._takes_outputs:
            results = _results(operator.function(*arrays, **keywords), count)
            for index, (result, target) in enumerate(zip(results, targets)):
                if target is not None:
                    _copy(result, target, index)
        elif operator.function(*arrays, out=targets[0] if operator._outputs == (1, 1) else targets, **keywords) is not None:
            raise TypeError("a function that is given its outputs returns None")
        return None


class _Memory:
    """Memory of a call, which lives as long as an array has it."""

    __slots__ = ("__array_interface__", "__weakref__")

    def __init__(self, interface: Dict[str, Any]) -> None:
        self.__array_interface__ = interface


class _AttributeNames(NamedTuple):
    """The attributes that a function takes as keywords."""

    defaults: Dict[str, Any]  #: by name; inspect.Parameter.empty: none
    takes_all: bool

    def choose(self, attributes: Dict[str, Any], is_strict: bool = True) -> Dict[str, Any]:
        unknown = [name for name in attributes if name not in self.defaults]
        if unknown and is_strict and not self.takes_all:
            raise TypeError(f"the node has the attribute {unknown[0]!r}, which the function does not take as a keyword")
        missing = [name for name, default in self.defaults.items() if default is inspect.Parameter.empty and name not in attributes]
        if missing:
            raise TypeError(f"the node lacks the attribute {missing[0]!r}, for which the function has no default")
        chosen = {name: value for name, value in attributes.items() if name in self.defaults or self.takes_all}
        for name, value in chosen.items():
            if value is NotImplemented:
                raise TypeError(f"the attribute {name!r} is of a kind that functions do not get, such as a graph")
        return chosen


_lock = threading.RLock()
_registered: Dict[Tuple[str, str], Dict[int, Operator]] = {}


def register_operator(name: str, domain: str, function: Function, *, version: int = 1, types: Optional[Sequence[Any]] = None,
                      inputs: Union[int, Tuple[int, Optional[int]], None] = None,
                      outputs: Union[int, Tuple[int, Optional[int]]] = 1, infer: Optional[Function] = None,
                      dynamic: bool = False) -> Operator:
    """Lets a Python function compute an operator, for all models and sessions that are made from then on.

    The function gets the node's inputs as arrays, in order: `*inputs` takes any number, and inputs that are left out are
    None. Attributes are its keyword-only parameters: float, int, str, lists of them, arrays. It returns the output as an
    array, or a tuple of outputs. With a keyword-only parameter `out`, it is given the output's array (a list for several)
    and writes there. Arrays that it is given are valid during the call only; those of inputs are read-only.

    An operator of that name, domain and version that Python registered before is replaced.

    Args:
        version: from which version of the domain on.
        types: element types of inputs, such as ["float32", "int64", "string"]; None: all.
        inputs: their number, or (least, most), where None is any number; None: as the function's parameters say.
        outputs: their number, or (least, most).
        infer: the function for shapes. It gets an InputType for each input, or None, and attributes as the function does,
            and returns a TensorType or (dtype, shape), or a list of them. None: all outputs are like the first input.
        dynamic: shapes of outputs are only known once they are computed. `infer` says None for what it does not know.

    Raises:
        Error: a library or ortool has an operator of that name.
    """
    operator_ = Operator(function, name, domain, version, types, inputs, outputs, infer, dynamic)
    with _lock:
        _replace((domain, name), {**_registered.get((domain, name), {}), version: operator_})
    return operator_


def operator(name: str, domain: str, **settings: Any) -> Callable[[Function], Operator]:
    """Decorates a function that computes an operator. Takes the settings of register_operator()."""
    return lambda function: register_operator(name, domain, function, **settings)


def _replace(key: Tuple[str, str], versions: Dict[int, Operator]) -> None:
    before = _registered.pop(key, {})
    if before:
        _native.remove_operator(*key)
    try:
        _add(key, versions)
    except BaseException:
        _add(key, before)
        raise


def _add(key: Tuple[str, str], versions: Dict[int, Operator]) -> None:
    if not versions:
        return
    all_versions = list(versions.values())
    origin = all_versions[0]._origin() if len(all_versions) == 1 else f"Python functions of {key[0]}.{key[1]}"
    _native.add_operators([each._row() for each in all_versions], origin)
    _registered[key] = versions


def _dtype(number: int) -> numpy.dtype:
    if number in _values.DTYPES:
        return numpy.dtype(_values.DTYPES[number])
    try:
        import ml_dtypes
        return numpy.dtype(getattr(ml_dtypes, _values.EXTENDED[number]))  # type: ignore[no-any-return]
    except (ImportError, AttributeError) as error:
        raise TypeError(f"arrays of {_NAMES.get(number, number)} need the package ml_dtypes") from error


def _name(number: int) -> str:
    if number not in _NAMES:
        raise TypeError(f"elements of ONNX's type {number} are packed, which arrays cannot hold")
    return _NAMES[number]


def _number(name: Any) -> int:
    text = name if isinstance(name, str) else numpy.dtype(name).name
    text = "string" if text.startswith(("str", "object")) else text
    if text not in _NUMBERS:
        raise ValueError(f"{name!r} is no element type: give one of {', '.join(_NUMBERS)}")
    return _NUMBERS[text]


def _range(given: Union[int, Tuple[int, Optional[int]]]) -> Tuple[int, int]:
    least, most = (given, given) if isinstance(given, int) else given
    return least, _UNLIMITED if most is None else most


def _input_range(function: Function) -> Tuple[int, int]:
    least = most = 0
    for parameter in _parameters(function):
        if parameter.kind is parameter.VAR_POSITIONAL:
            return least, _UNLIMITED
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            most += 1
            least = most if parameter.default is parameter.empty else least
    return least, most


def _parameters(function: Function) -> List[inspect.Parameter]:
    try:
        return list(inspect.signature(function).parameters.values())
    except ValueError as error:
        raise ValueError(f"{function!r} does not tell its parameters: wrap it in a function that has them") from error


def _attribute_names(function: Function) -> _AttributeNames:
    parameters = _parameters(function)
    return _AttributeNames({each.name: each.default for each in parameters if each.kind is each.KEYWORD_ONLY},
                           any(each.kind is each.VAR_KEYWORD for each in parameters))


def _description(output: Any) -> Tuple[int, Any]:
    try:
        dtype, shape = output
    except (TypeError, ValueError):
        raise TypeError(f"the function for shapes returned {output!r}, not (dtype, shape) or a list of those") from None
    return _number(dtype), None if shape is None else tuple(int(size) if hasattr(size, "__index__") else size for size in shape)


def _array(operand: Any, memories: List[Any], is_writable: bool) -> Any:
    """The array of an operand (type, shape, address or strings); None for one that is left out."""
    if operand is None:
        return None
    number, shape, place = operand
    if number == _values.STRING:
        texts = numpy.empty(len(place), dtype=object)
        texts[:] = place
        return texts.reshape(shape)
    dtype = _dtype(number)
    if not place or 0 in shape:
        return numpy.empty(shape, dtype)
    own = number in _values.DTYPES
    memory = _Memory({"version": 3, "shape": shape, "typestr": dtype.str if own else f"<u{dtype.itemsize}",
                      "data": (place, not is_writable)})
    memories.append(weakref.ref(memory))
    array = numpy.asarray(memory)
    return array if own else array.view(dtype)


def _plain(attributes: Dict[str, Any], memories: Optional[List[Any]] = None) -> Dict[str, Any]:
    """The attributes with tensors as arrays; without `memories` as copies."""
    if not any(isinstance(value, tuple) for value in attributes.values()):
        return attributes
    return {name: value if not isinstance(value, tuple) else _array(value, memories, False) if memories is not None
            else numpy.array(_array(value, [], False)) for name, value in attributes.items()}


def _results(returned: Any, count: int) -> Sequence[Any]:
    results = returned if isinstance(returned, tuple) or (count > 1 and isinstance(returned, list)) else (returned,)
    if len(results) < count or any(each is None for each in results[:1]):
        found = "None" if returned is None else f"{len(results)} outputs"
        raise TypeError(f"the function returned {found}, the node has {count}")
    return results[:count]


def _copy(result: Any, target: numpy.ndarray, index: int) -> None:
    if result is None:
        raise TypeError(f"output {index} is None, but the node has it")
    is_typed = isinstance(result, (numpy.ndarray, numpy.generic))
    array = numpy.asarray(result) if is_typed else numpy.asarray(result, dtype=target.dtype)
    if array.dtype != target.dtype or array.shape != target.shape:
        raise ValueError(f"output {index} is {array.dtype}{list(array.shape)}, but its shape function said "
                         f"{target.dtype}{list(target.shape)}")
    target[...] = array


def _made(result: Any, inputs: Sequence[Any]) -> Any:
    """The Value of an output, in memory of its own."""
    array = numpy.asarray(result)
    if any(isinstance(each, numpy.ndarray) and numpy.may_share_memory(array, each) for each in inputs):
        array = numpy.array(array)
    return _values.as_tensor(array)


def _clear_frames(error: Optional[BaseException]) -> None:
    seen: List[BaseException] = []
    while error is not None and all(error is not each for each in seen):
        seen.append(error)
        traceback.clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__
