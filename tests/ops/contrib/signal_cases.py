# Cases of operators on sound: ai.onnx.contrib, whose reference is PyPI's onnxruntime-extensions.
import io
import struct
import wave

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


def _sound(random, frames, channels):
    """Tones and noise, [frames, channels]."""
    time = numpy.arange(frames)[:, None]
    tones = sum(numpy.sin(time * random.uniform(0.01, 1.5, (1, channels)) + each) for each in range(3)) / 6
    return tones + random.uniform(-0.3, 0.3, (frames, channels))


def _wav(samples, rate, width):
    if width == "float":
        data = samples.astype("<f4").tobytes()
        header = struct.pack("<4sIHHIIHH", b"fmt ", 16, 3, samples.shape[1], rate, rate * 4 * samples.shape[1], 4 * samples.shape[1], 32)
        body = b"WAVE" + header + b"data" + struct.pack("<I", len(data)) + data
        return b"RIFF" + struct.pack("<I", len(body)) + body
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(samples.shape[1])
        out.setsampwidth(width)
        out.setframerate(rate)
        whole = numpy.round(samples * (2 ** (8 * width - 1) - 1)).astype(numpy.int64)
        if width == 1:
            whole += 128
        out.writeframes(b"".join(int(each).to_bytes(width, "little", signed=width > 1) for each in whole.ravel()))
    return file.getvalue()


def _crc(data, bits, polynomial):
    value = 0
    for byte in data:
        value ^= byte << (bits - 8)
        for _ in range(8):
            value = (value << 1 ^ (polynomial if value >> (bits - 1) & 1 else 0)) & ((1 << bits) - 1)
    return value


def _flac(samples, rate, block):
    """A FLAC file of 16 bits with samples as they are (verbatim subframes)."""
    frames, channels = samples.shape
    whole = numpy.round(samples * 32767).astype(">i2")
    info = struct.pack(">HH", block, block) + bytes(6)
    info += (rate << 44 | (channels - 1) << 41 | 15 << 36 | frames).to_bytes(8, "big") + bytes(16)
    file = b"fLaC" + b"\x80" + len(info).to_bytes(3, "big") + info
    for number, begin in enumerate(range(0, frames, block)):
        part = whole[begin:begin + block]
        header = b"\xff\xf8" + bytes([0x70, (channels - 1) << 4 | 0x8]) + bytes([number]) + struct.pack(">H", len(part) - 1)
        frame = header + bytes([_crc(header, 8, 0x07)])
        for channel in range(channels):
            frame += b"\x02" + part[:, channel].tobytes()
        file += frame + struct.pack(">H", _crc(frame, 16, 0x8005))
    return file


def _audio_decoder(random):
    for number in range(48):
        frames, channels, rate = random.choice([1, 2, 50, 700, 4000]), random.choice([1, 1, 2]), random.choice([8000, 16000, 44100, 48000])
        samples = _sound(random, frames, channels)
        name = random.choice(["wav", "wav", "flac"])
        data = _wav(samples, rate, random.choice([1, 2, 3, 4, "float"])) if name == "wav" else _flac(samples, rate, 256)
        stream = numpy.frombuffer(data, numpy.uint8)
        form = random.choice([None, "", "default", name])
        # Of a window of one sample the package makes NaN, of a rate of 0 a file without samples.
        new_rate = random.choice([None, 8000, rate, rate // 3]) if frames > 1 else None
        yield Case("AudioDecoder", [stream if number % 2 else stream[None], None if form is None else numpy.array([form], object)], 1,
                   {"downsampling_rate": new_rate, "stereo_to_mono": random.choice([None, 0, 1])}, domain="ai.onnx.contrib", opset=18)


def _segments(random):
    for _ in range(40):
        rate, frame, hop = random.choice([8000, 16000, 22050]), random.choice([10, 25, 30]), random.choice([5, 10, 20])
        length = random.choice([1, 500, 3000, rate])
        loudness = numpy.repeat(random.uniform(0, 1, 40) ** 3, length // 40 + 1)[:length]
        audio = (random.standard_normal(length) * loudness).astype(numpy.float32)[None]
        threshold = numpy.array([random.choice([-40, -20, -10, -3])], numpy.float32)
        yield Case("SplitSignalSegments", [audio, numpy.array([rate]), numpy.array([frame]), numpy.array([hop]), threshold], 1,
                   domain="ai.onnx.contrib", opset=18)
        begins = numpy.sort(random.integers(0, 2000, random.choice([0, 1, 5, 20])))
        segments = numpy.stack([begins, begins + random.integers(0, 300, len(begins))], 1).astype(numpy.int64)
        yield Case("MergeSignalSegments", [segments, numpy.array([random.choice([0, 10, 200])])], 1, domain="ai.onnx.contrib", opset=18)


def cases(random):
    if not extensions_peer.is_available():
        return
    for family in (_stft_norm, _audio_decoder, _segments):
        for each in family(random):
            each.expected = extensions_peer.expected(each)
            yield each
