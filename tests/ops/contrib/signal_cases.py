# Cases of operators on sound: ai.onnx.contrib, whose reference is PyPI's onnxruntime-extensions.
import extensions_peer
import numpy
from case import Case


def _stft_norm(random):
    for _ in range(30):
        size = random.choice([1, 4, 7, 8, 16, 25, 64, 400])
        window = random.standard_normal(random.choice([size, size, max(1, size * 3 // 4)])).astype(numpy.float32)
        length = random.choice([1, 5, 40, 333])
        signal = random.standard_normal(random.choice([(1, length), (1, length, 1)])).astype(numpy.float32)
        shape = random.choice([(), (1,)])
        n_fft = numpy.full(shape, size)
        hop = numpy.full(shape, random.choice([1, 3, max(1, size // 2), 160]))
        yield Case("StftNorm", [signal, n_fft, hop, window, n_fft], 1, {"onesided": random.choice([None, 0, 1])},
                   domain="ai.onnx.contrib", opset=18, constants=random.choice([(1, 2, 3, 4), (1, 2, 4), None]))


def cases(random):
    if not extensions_peer.is_available():
        return
    for each in _stft_norm(random):
        each.expected = extensions_peer.expected(each)
        yield each
