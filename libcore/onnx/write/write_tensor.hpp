// TensorProto and SparseTensorProto, written.
#pragma once

#include <optional>
#include <string_view>

#include "libcore/onnx/write/write_context.hpp"

namespace ortool::onnx {

/// A TensorProto under the number `field`: the bytes it was read from while they hold, else its
/// fields with the data raw or in the side file. `name` nothing: the one it was read with, if any.
void write_tensor(WriteContext& context, std::uint32_t field, const Tensor& tensor,
                  std::optional<std::string_view> name = std::nullopt,
                  const Notes* notes = nullptr);

/// `name` goes to the values.
void write_sparse_tensor(WriteContext& context, std::uint32_t field, const SparseTensor& tensor,
                         std::optional<std::string_view> name = std::nullopt);

}  // namespace ortool::onnx
