// Writer for TensorProto and SparseTensorProto.
#pragma once

#include <optional>
#include <string_view>

#include "libcore/onnx/write/write_context.hpp"

namespace ortool::onnx {

/// Writes a TensorProto as field `field`: the original bytes while they are valid, otherwise its
/// fields with the data raw or in the weight file. Without `name`, the original one is kept.
void write_tensor(WriteContext& context, std::uint32_t field, const Tensor& tensor,
                  std::optional<std::string_view> name = std::nullopt,
                  const Notes* notes = nullptr);

/// `name` is the name of the values.
void write_sparse_tensor(WriteContext& context, std::uint32_t field, const SparseTensor& tensor,
                         std::optional<std::string_view> name = std::nullopt);

}  // namespace ortool::onnx
