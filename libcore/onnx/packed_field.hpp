// Packed field: the field of a model file that holds packed weights. ONNX does not know it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "libcore/graph/model.hpp"

namespace ortool {

/// Tag and length of the field with a content of that many bytes, which may follow any model file.
std::string packed_field_head(std::int64_t content_bytes);

/// The content of that field in the file of `model`, the last one if there are several; empty if
/// there is none. Copies of models have none.
std::span<const std::byte> packed_field_of(const Model& model);

/// The unknown fields of a model but for that one, which is of no use in another file.
Residue without_packed_field(const Residue& residue);

}  // namespace ortool
