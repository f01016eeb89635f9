# Broken tensor and picture files, each given as the input of a model that takes a float tensor [2].
import io
import struct
import zipfile
import zlib

from onnx_bytes import block, external, integer, one, tensor


def npy(header, data=bytes(8), version=1, length=None):
    text = header.encode("latin-1")
    size = len(text) if length is None else length
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", size) + text + data


def header(descr="'<f4'", order="False", shape="(2,)"):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n"


def archive(entries, compression=zipfile.ZIP_STORED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as out:
        for name, content in entries:
            out.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), content, compression)
    return file.getvalue()


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(width, height, rows, depth=8, colour=0):
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def make_npy(bad):
    bad("cut.npy", npy(header())[:-4])
    bad("header_cut.npy", npy(header(), b"")[:20])
    bad("header_past_file.npy", npy(header(), length=60000))
    bad("header_4_gb.npy", npy(header(), version=2, length=0xFFFFFFFF))
    bad("version_9.npy", npy(header(), version=9), 5)
    bad("magic_only.npy", b"\x93NUMPY")
    bad("no_magic.npy", b"just text")
    bad("no_dictionary.npy", npy("[1, 2, 3]\n"))
    bad("code.npy", npy("{'descr': __import__('os').system('true'), 'fortran_order': False, 'shape': (2,)}\n"))
    bad("objects.npy", npy(header("'|O'"), b"\x80\x04N."), 5)
    bad("records.npy", npy(header("[('a', '<f4'), ('b', '<f4')]")), 5)
    bad("shape_negative.npy", npy(header(shape="(-2,)")))
    bad("shape_huge.npy", npy(header(shape="(4611686018427387904, 8)")))
    bad("shape_big.npy", npy(header(shape="(1099511627776,)")))
    bad("shape_number_long.npy", npy(header(shape="(" + "9" * 400 + ",)")))
    bad("shape_nested.npy", npy(header(shape="(" * 5000 + ")" * 5000)))
    bad("shape_rank_100.npy", npy(header(shape="(" + "1, " * 100 + ")")))
    bad("order_text.npy", npy(header(order="'maybe'")))
    bad("type_unknown.npy", npy(header("'<q9'")))
    bad("type_empty.npy", npy(header("''")))
    bad("type_of_0_bytes.npy", npy(header("'<f0'")), 5)
    bad("key_twice.npy", npy("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}\n"))
    bad("unclosed.npy", npy("{'descr': '<f4"))
    bad("too_much_data.npy", npy(header(), bytes(16)))
    bad("other_type.npy", npy(header("'<i8'"), bytes(16)))
    bad("other_shape.npy", npy(header(shape="(3,)"), bytes(12)))


def make_npz(bad):
    whole = archive([("x.npy", npy(header()))])
    bad("cut.npz", whole[:-30])
    bad("no_zip.npz", b"PK\x03\x04" + bytes(60))
    bad("empty.npz", b"")
    bad("wrong_checksum.npz", whole.replace(npy(header()), npy(header(), b"\1" * 8), 1))
    bad("no_npy.npz", archive([("x.npy", b"hello")]))
    bad("names_twice.npz", archive([("x.npy", npy(header())), ("x.npy", npy(header()))]))
    bomb = archive([("x.npy", npy(header(), bytes(16 << 20)))], zipfile.ZIP_DEFLATED)
    bad("bomb.npz", bomb)
    bad("size_lies.npz", bomb.replace(struct.pack("<I", (16 << 20) + 128 + 10 - 10), struct.pack("<I", 64)))
    encrypted = bytearray(whole)
    encrypted[6] |= 1
    encrypted[whole.index(b"PK\x01\x02") + 8] |= 1
    bad("encrypted.npz", bytes(encrypted))
    method = bytearray(whole)
    method[8] = method[whole.index(b"PK\x01\x02") + 10] = 99
    bad("method_99.npz", bytes(method))


def tiff(width, height, content, **changes):
    """A gray TIFF file with one strip, with the tags `t256=value` changed or added."""
    tags = {256: width, 257: height, 258: 8, 259: 1, 262: 1, 273: 0, 277: 1, 278: height, 279: len(content)}
    tags.update({int(key[1:]): value for key, value in changes.items()})
    if "t273" not in changes:
        tags[273] = 8 + 2 + 12 * len(tags) + 4
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in sorted(tags.items()))
    return b"II*\0" + struct.pack("<IH", 8, len(tags)) + entries + bytes(4) + content


def webp(kind, content, length=None):
    chunk = kind + struct.pack("<I", len(content) if length is None else length) + content
    return b"RIFF" + struct.pack("<I", 4 + len(chunk)) + b"WEBP" + chunk


def gif(width, height, content, palette=bytes(6)):
    flags = 0x80 if palette else 0
    frame = struct.pack("<BHHHHB", 0x2C, 0, 0, width, height, 0)
    return b"GIF89a" + struct.pack("<HHBBB", width, height, flags, 0, 0) + palette + frame + content


def make_pictures(bad):
    bad("cut.png", png(4, 4, bytes(20))[:-20])
    bad("huge.png", png(0x7FFFFFFF, 0x7FFFFFFF, bytes(20)))
    bad("no_size.png", png(0, 0, b""))
    bad("few_rows.png", png(4, 4, bytes(5)))
    bad("depth_3.png", png(4, 4, bytes(20), 3))
    bad("checksum.png", png(4, 4, bytes(20)).replace(b"IDAT", b"IDAX"))
    bad("only_head.png", b"\x89PNG\r\n\x1a\n")
    bad("cut.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0")
    bad("huge.jpg", b"\xff\xd8\xff\xc0\0\x0b\x08\xff\xff\xff\xff\1\1\x11\0\xff\xd9")
    bad("huge.ppm", b"P6 4000000000 4000000000 255\n" + bytes(12))
    bad("negative.ppm", b"P6 -2 -2 255\n" + bytes(12))
    bad("depth_0.ppm", b"P6 2 2 0\n" + bytes(12))
    bad("depth_70000.ppm", b"P6 2 2 70000\n" + bytes(24))
    bad("cut.ppm", b"P6 2 2 255\n" + bytes(5))
    bad("number_long.ppm", b"P6 " + b"9" * 500 + b" 2 255\n" + bytes(12))
    bad("cut.tif", tiff(4, 4, bytes(16))[:-8], text="the TIFF image cannot be decoded")
    bad("huge.tif", tiff(1 << 16, 1 << 16, bytes(16)), text="pixels")
    bad("tile_huge.tif", tiff(4, 4, bytes(16), t322=1 << 20, t323=1 << 20, t324=8, t325=16), text="the TIFF image")
    bad("strip_far.tif", tiff(4, 4, bytes(16), t273=1 << 30), text="the TIFF image cannot be decoded")
    bad("samples_huge.tif", tiff(4, 4, bytes(16), t277=65535), text="the TIFF image")
    bad("lzma.tif", tiff(4, 4, bytes(16), t259=34925), 5, "compression method 34925")
    bad("no_tags.tif", b"II*\0\x08\0\0\0\0\0\0\0\0\0", text="the TIFF image cannot be decoded")
    bad("circle.tif", b"II*\0\x08\0\0\0\0\0\x08\0\0\0", text="the TIFF image cannot be decoded")
    bad("cut.webp", webp(b"VP8L", b"\x2f\x02\x40\0\0", 60), text="the WebP image cannot be decoded")
    bad("huge.webp", webp(b"VP8L", b"\x2f\xff\xff\xff\x0f" + bytes(11)), text="16384 x 16384 pixels")
    bad("chunk_huge.webp", webp(b"VP8 ", bytes(12), 0xFFFFFFF0), text="the WebP image cannot be decoded")
    bad("canvas_huge.webp", webp(b"VP8X", bytes(4) + b"\xff" * 6), text="the WebP image cannot be decoded")
    bad("no_pixels.webp", webp(b"VP8L", b"\x2f\x02\x40\0\0" + bytes(3)), text="the WebP image cannot be decoded")
    bad("cut.gif", gif(4, 4, b"\x02\x16\x8c"), text="the GIF image cannot be decoded")
    bad("huge.gif", gif(65535, 65535, b"\x02\x01\0\0;"), text="65535 x 65535 pixels")
    bad("no_palette.gif", gif(4, 4, b"\x02\x01\0\0;", b""), text="it has no palette")
    bad("no_frame.gif", b"GIF89a" + bytes(7) + b";", text="it has no frame")
    bad("code_size_99.gif", gif(4, 4, b"\x63\x01\0\0;"), text="the GIF image cannot be decoded")


def make_tensors(bad):
    bad("cut.pb", tensor("x", [2], raw=bytes(8))[:-3])
    bad("short.pb", tensor("x", [2], raw=bytes(7)))
    bad("type_99.pb", tensor("x", [2], 99, bytes(8)), 5)
    bad("huge.pb", tensor("x", [1 << 40], raw=bytes(8)))
    bad("climbing.pb", external("x", [2], [("location", "../secret")]))
    bad("model.pb", one("Relu"))
    bad("nested.pb", block(1, b"\x0a\x7f") * 3 + integer(2, 1))
    bad("deep.json", b"[" * 100000)
    bad("cut.json", b'{"dtype": "float32", "shape": [2], "data": [1,')
    bad("ragged.json", b"[[1, 2], [3]]")
    bad("number_long.json", b"[" + b"9" * 1000 + b", 1]")
    bad("shape_lies.json", b'{"dtype": "float32", "shape": [4611686018427387904, 4], "data": [1, 2]}')
    bad("text_in_numbers.json", b'["a", "b"]')
    bad("unknown.xyz", b"1 2 3")


def make(add, write):
    write("good.onnx", one("Relu"))

    def bad(name, content, code=2, text=""):
        add("input_" + name, content, code, text, "input")
    make_npy(bad)
    make_npz(bad)
    make_pictures(bad)
    make_tensors(bad)
