// Reader for TensorProto and SparseTensorProto; checks types and sizes before allocating anything.
#pragma once

#include <string_view>

#include "libcore/graph/attribute.hpp"
#include "libcore/graph/node.hpp"
#include "libcore/onnx/read/load_context.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool::onnx {

struct NamedTensor {
  std::string_view name;  ///< view of the file
  std::string_view doc_string;
  Metadata metadata;
  Tensor tensor;
  bool is_external = false;
};

/// Reads a tensor. Raw and packed data remain views of the file, except small ones, which are
/// copied to aligned memory, and bools other than 0 and 1. Throws, starting with the tensor's name:
/// ErrorCode::unsupported for an unknown element type, ErrorCode::invalid ("tensor.*",
/// "external.*") when data and shape do not match.
NamedTensor read_tensor(LoadContext& context, Message message);

/// Reads values, indices and shape of a sparse tensor and checks their consistency. The name of the
/// values is stored in `name` unless that is null.
SparseTensor read_sparse_tensor(LoadContext& context, Message message,
                                std::string_view* name = nullptr);

/// The dense tensor including zeros; its bytes count against the budget.
Tensor to_dense(LoadContext& context, const SparseTensor& sparse);

}  // namespace ortool::onnx
