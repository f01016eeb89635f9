// TensorProto and SparseTensorProto: types and sizes checked before anything is allocated.
#pragma once

#include <string_view>

#include "libcore/graph/attribute.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/onnx/read/load_context.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool::onnx {

struct NamedTensor {
  std::string_view name;  ///< inside the file
  std::string_view doc_string;
  Metadata metadata;
  Tensor tensor;
  bool is_external = false;
};

/// Reads a tensor. Raw and packed bytes stay views of the file, save for small ones, which are
/// copied to aligned memory, and bools that are neither 0 nor 1. Throws with the tensor's name in
/// front: ErrorCode::unsupported for an unknown element type, ErrorCode::invalid ("tensor.*",
/// "external.*") where data and shape do not agree.
NamedTensor read_tensor(LoadContext& context, Message message);

/// Reads values, indices and shape of a sparse tensor and checks that they agree. `name` gets the
/// name of the values when not null.
SparseTensor read_sparse_tensor(LoadContext& context, Message message,
                                std::string_view* name = nullptr);

/// The dense tensor, zeros included; its bytes count against the budget.
Tensor to_dense(LoadContext& context, const SparseTensor& sparse);

}  // namespace ortool::onnx
