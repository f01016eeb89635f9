// com.microsoft.MurmurHash3: hashes of numbers and strings, 32 bits each.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
#pragma once

#include <cstdint>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"
#include "libcore/ops/op_schema.hpp"

namespace ortool {

/// MurmurHash3_x86_32 of each element's bytes.
struct MurmurHash3 {
  static const OpSchema schema;

  std::uint32_t seed = 0;
  bool is_unsigned = true;

  void read(AttributeReader& attributes, int version);
  void infer(InferContext& context) const;
};

}  // namespace ortool
