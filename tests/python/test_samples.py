# Calibration samples from Python iterators: copied as they come, and their exceptions and Ctrl-C end the command.
import os
import signal
import threading

import numpy
import pytest

import ortool


@pytest.fixture
def images(samples):
    return samples["image"][:50].astype(numpy.float32)


def test_an_iterator_gives_the_bytes_of_a_path(digits_path, images, tmp_path):
    numpy.savez(tmp_path / "set.npz", image=images)
    by_path = ortool.quantize(digits_path, tmp_path / "a.onnx", tmp_path / "set.npz")
    by_iterator = ortool.quantize(digits_path, tmp_path / "b.onnx", ({"image": image[numpy.newaxis]} for image in images))
    assert by_path["exit_code"] == by_iterator["exit_code"] == 0
    assert (tmp_path / "a.onnx").read_bytes() == (tmp_path / "b.onnx").read_bytes()


def test_samples_are_copied_as_they_come_and_no_more_than_wanted(digits_path, images, tmp_path):
    taken = []

    def reused():
        buffer = numpy.empty((1, 1, 8, 8), numpy.float32)
        for number in range(10 ** 9):
            buffer[...] = images[number % len(images)]
            taken.append(number)
            yield {"image": buffer}
    steps = []
    ortool.quantize(digits_path, tmp_path / "a.onnx", reused(), samples=20, on_progress=lambda *step: steps.append(step))
    assert len(taken) == 20 and ("reading samples", 20, 20) in steps
    ortool.quantize(digits_path, tmp_path / "b.onnx", [{"image": numpy.asfortranarray(image[numpy.newaxis])} for image in images[:20]])
    assert (tmp_path / "a.onnx").read_bytes() == (tmp_path / "b.onnx").read_bytes()


def test_memory_stays_bounded_however_many_samples_there_are(tmp_path):
    import onnx.parser
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]>
        g (float[1, 3, 512, 512] x) => (float[1, 3, 1, 1] y) { p = GlobalAveragePool (x)  y = Conv <kernel_shape = [1, 1]> (p, w) }""".replace(
            "=> (float[1, 3, 1, 1] y) {", "=> (float[1, 3, 1, 1] y) <float[3, 3, 1, 1] w = {1, 2, 3, 4, 5, 6, 7, 8, 9}> {"))
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    generator = numpy.random.default_rng(1)

    def kept_bytes():
        with open("/proc/self/status", encoding="ascii") as file:
            return sum(int(line.split()[1]) for line in file if line.startswith(("RssAnon", "VmSwap"))) * 1024
    before = kept_bytes()
    most = 0

    def make():
        nonlocal most
        for _ in range(100):  # 315 MB
            most = max(most, kept_bytes())
            yield {"x": generator.standard_normal((1, 3, 512, 512), numpy.float32)}
    report = ortool.quantize(tmp_path / "model.onnx", tmp_path / "int8.onnx", make(), recipe="fast", threads=1)
    assert report["exit_code"] == 0
    assert most - before < 150e6


def test_wrong_samples_are_refused(digits_path, images, tmp_path):
    output = tmp_path / "int8.onnx"
    for wrong, text in (({"imgae": images[:1]}, "samples of the program: sample 0: .*'imgae'"), ({}, "no data for: image"),
                        ({"image": images[0]}, "image")):
        with pytest.raises(ortool.Error, match=text):
            ortool.quantize(digits_path, output, iter([wrong]))
    for wrong in ([images[:1]], iter([3])):
        with pytest.raises(TypeError, match="a sample is a dict"):
            ortool.quantize(digits_path, output, wrong)
    with pytest.raises(ortool.Error, match="there are no samples"):
        ortool.quantize(digits_path, output, iter(()))
    with pytest.raises(ortool.Error, match="contradict each other"):
        ortool.command("quantize", digits_path, output=output, calibration_data=tmp_path, samples_from=iter(()))
    with pytest.raises(ortool.Error, match="optimize takes no samples"):
        ortool.command("optimize", digits_path, output=output, samples_from=iter(()))
    assert not output.exists()


def test_exceptions_and_ctrl_c_come_through(digits_path, images, tmp_path):
    class Wrong(Exception):
        pass

    def failing():
        yield {"image": images[:1]}
        raise Wrong("no more images")
    with pytest.raises(Wrong, match="no more images"):
        ortool.quantize(digits_path, tmp_path / "int8.onnx", failing())

    def endless():
        threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        while True:
            yield {"image": images[:1]}
    with pytest.raises(KeyboardInterrupt):
        ortool.quantize(digits_path, tmp_path / "int8.onnx", endless())
    assert not (tmp_path / "int8.onnx").exists()
    stop = ortool.Stop()

    def stopped():
        for number in range(10 ** 9):
            if number == 5:
                stop.request()
            yield {"image": images[:1]}
    with pytest.raises(ortool.Error) as raised:
        ortool.quantize(digits_path, tmp_path / "int8.onnx", stopped(), stop=stop)
    assert raised.value.status == ortool.Status.INTERRUPTED
