# Example of the manual: runs a model on one image, and prints the class.
import sys

import numpy
import ortool

pixels = numpy.zeros((1, 1, 8, 8), numpy.float32)
pixels[0, 0, :, 4] = 255  # a bright column: the digit one
scores = ortool.Session(sys.argv[1], threads=1).run(None, {"image": pixels})[0]
print(f"class {scores.argmax()} with score {scores.max():.3f}")
