# Table of layers: which folder may include which, and where heavy headers may appear.

# Layers of libcore, each with the layers it may include besides itself.
_BASE = ["base"]
_TENSOR = _BASE + ["tensor"]
_GRAPH = _TENSOR + ["graph"]
_INFER = _GRAPH + ["text", "onnx", "ops"]
_OPTIMIZE = _INFER + ["infer"]
_PROVIDER = _OPTIMIZE + ["optimize"]
_LOWER = _PROVIDER + ["provider"]
_RUNTIME = _LOWER + ["lower"]
_DATASET = _RUNTIME + ["runtime", "inspect", "io", "json"]
_VERIFY = _DATASET + ["dataset"]

LIBCORE = {
    "base": [],
    "json": _BASE,
    "tensor": _BASE,
    "io": _TENSOR,
    "graph": _TENSOR,
    "text": _GRAPH,
    "onnx": _GRAPH,
    "ops": _GRAPH,
    "infer": _INFER,
    "check": _OPTIMIZE,
    "inspect": _OPTIMIZE,
    "optimize": _OPTIMIZE,
    "provider": _PROVIDER,
    "lower": _LOWER,
    "runtime": _RUNTIME,
    "dataset": _DATASET,
    "generate": _VERIFY,
    "verify": _VERIFY,
    "measure": _VERIFY,
    "quantize": _VERIFY + ["measure", "check"],
    "api": _VERIFY + ["verify", "measure", "quantize", "check"],
}

# Families of kernels/cpu: each may include itself, the shared folders, and the families that it builds on. Each shared
# folder may include those before it.
KERNEL_ROOMS = ["isa", "types", "parallel", "epilogue"]
KERNEL_FAMILIES = {
    "attention": ["gemm", "normalization"],
    "conv": ["gemm"],
    "data_movement": [],
    "elementwise": [],
    "experts": ["elementwise"],
    "gemm": [],
    "image": [],
    "ml": [],
    "normalization": [],
    "pooling": ["conv"],
    "random": [],
    "recurrent": ["elementwise", "gemm"],
    "reduction": [],
    "search": [],
    "signal": [],
    "text": [],
    "training": [],
}

# Prefixes that other folders may include besides their own folder (the first two parts of the path).
KERNELS = ["libcore/base/", "libcore/tensor/"]
PROVIDERS = ["libcore/", "kernels/"]
# Modules link nothing of ortool: they see the interface of modules alone.
PROVIDER_MODULES = ["openvino", "xnnpack"]
MODULE_INTERFACE = ["providers/modules/module_failure.hpp", "providers/modules/ortool/"]
# Native modules are libraries of their own: libortool.so names none of their functions.
PROVIDER_LIST = ["libcore/", "providers/cpu/", "providers/modules/", "providers/onednn/", "providers/provider_list.hpp"]
APPS = ["libcore/", "providers/provider_list.hpp"]
# The C interface runs the commands of the program.
C_INTERFACE = ["apps/ortool/"]
# The Python package stands on the C interface alone.
# It also gives the engine operators, by the header for libraries of them.
PYTHON = ["apps/c/ortool/", "apps/c/dlpack_tensor.hpp", "providers/cpu/custom/ortool/"]
TESTS = ["libcore/", "kernels/", "providers/", "apps/"]

# Headers that are slow to compile or belong to a third-party library: (pattern of the header, pattern of
# the source files that may include it). Tests may use them in their .cpp files.
HEAVY_HEADERS = [
    (r"CLI/.*|CLI11\.hpp", r"apps/ortool/command_line\.cpp"),
    (r"google/protobuf/.*", r"libcore/onnx/.*\.cpp"),
    (r"nlohmann/.*", r"(apps/ortool|libcore/(io|json|optimize|provider|lower|runtime|quantize|measure))/.*\.cpp"),
    (r"spdlog/.*", r"libcore/base/log\.cpp"),
    (r"fmt/.*", r".*\.cpp"),
    (r"(dnnl|oneapi)[/.].*|dnnl.*", r"providers/onednn/.*\.cpp"),
    (r"xnnpack\.h|pthreadpool\.h", r"providers/xnnpack/.*"),
    (r"cuda.*|cublas.*|cudnn.*|nv[a-z]*\.h", r"(kernels|providers)/cuda/.*\.(cpp|cu)|providers/cuda/driver/driver_calls\.hpp"),
    (r"png\.h|jpeglib\.h|openjpeg\.h|jerror\.h|tiffio\.h|gif_lib\.h|webp/.*|sndfile\.h|zip\.h|zlib\.h", r"libcore/io/.*\.cpp"),
    (r"openssl/.*", r"libcore/base/.*\.cpp"),
    (r"re2/.*", r"providers/cpu/text/regex_.*\.cpp"),
    (r"Python\.h", r"apps/python/native/.*"),
    (r"sentencepiece.*", r"providers/cpu/text/sentencepiece_ops\.cpp"),
]

# The maximum number of code files in a folder, and the folders that still hold more; none may be added.
MOST_FILES = 40
FULL_FOLDERS = []

# Headers that only tests may include, with the reason.
FORBIDDEN_HEADERS = {
    "iostream": "it adds a static initializer to every file",
    "regex": "it is slow and recurses on hostile input",
}

# System headers for instruction-set files (*_avx2.cpp, *_avx512.cpp, *_vnni.cpp, *_vbmi.cpp, *_amx.cpp, *_neon.cpp, …).
ISA_SYSTEM_HEADERS = ["stdint.h", "stddef.h", "string.h", "math.h", "immintrin.h", "arm_neon.h"]
