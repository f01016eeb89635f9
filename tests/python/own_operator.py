# Example of the manual: a Python function computes an operator of a model.
import sys

import numpy
import ortool


@ortool.operator("Scale", "my.domain", types=["float32"], infer=lambda x, *, factor=1.0: (x.dtype, x.shape))
def scale(x, *, factor=1.0):
    return x * numpy.float32(factor)


x = numpy.arange(3, dtype=numpy.float32).reshape(1, 3)
print(ortool.Session(sys.argv[1]).run(None, {"x": x})[0])
