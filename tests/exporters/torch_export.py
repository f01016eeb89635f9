# Exports torch modules to ONNX, with the tracing exporter (TorchScript) and the one based on torch.export (dynamo).
import contextlib
import io
import warnings

import torch

# The fused attention of evaluation mode cannot be exported to ONNX.
torch.backends.mha.set_fastpath_enabled(False)


def export(module, arguments, path, dynamo=False, names=None, dynamic=None, opset=None, **more):
    """Exports the module and returns its single data set. `names` are the inputs, `dynamic` their dynamic axes."""
    module = module.eval() if hasattr(module, "eval") else module
    names = names or [f"x{i}" for i in range(len(arguments))]
    options = {"input_names": names, "opset_version": opset, "dynamo": dynamo, **more}
    if dynamic and dynamo:
        options["dynamic_shapes"] = tuple({axis: torch.export.Dim.DYNAMIC for axis in dynamic.get(name, {})} for name in names)
    elif dynamic:
        options["dynamic_axes"] = dynamic
    if dynamo:
        options["external_data"] = False
    words = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(words), contextlib.redirect_stderr(words), torch.no_grad():
        warnings.simplefilter("ignore")
        torch.onnx.export(module, tuple(arguments), path, **options)
    return [{name: argument.numpy() for name, argument in zip(names, arguments)}]


class Chosen(torch.nn.Module):
    """Calls a module with keyword arguments and returns selected fields of its result as a tuple."""

    def __init__(self, module, keywords, fields, constants=None):
        super().__init__()
        self.module, self.keywords, self.fields, self.constants = module, keywords, fields, constants or {}

    def forward(self, *arguments):
        result = self.module(**dict(zip(self.keywords, arguments)), **self.constants)
        return tuple(getattr(result, field) for field in self.fields)
