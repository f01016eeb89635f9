// Model serialization to memory: the bytes of an ONNX file, for libraries that read one.
#pragma once

#include "libcore/base/memory/aligned_buffer.hpp"
#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/graph/model.hpp"

namespace ortool {

/// The bytes of an ONNX file with all weights inside, counted against `cap` (may be null). Throws
/// ErrorCode::unsupported when they exceed the 2 GB of protobuf, and ErrorCode::memory_limit.
AlignedBuffer serialize_model(const Model& model, MemoryCap* cap);

}  // namespace ortool
