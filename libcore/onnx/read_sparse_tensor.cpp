// Reader for sparse tensors: values, indices, and conversion to a dense tensor.
#include <cstring>
#include <optional>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/onnx/invalid.hpp"
#include "libcore/onnx/messages.hpp"
#include "libcore/onnx/read/read_tensor.hpp"
#include "libcore/tensor/packed.hpp"

namespace ortool::onnx {
namespace {

Error bad_sparse(std::string message) {
  return damaged(std::move(message), "tensor.sparse");
}

/// Indices are positions in the flattened dense tensor [n] or coordinates [n, rank]; both increase.
void check_indices(const SparseTensor& sparse) {
  const Tensor indices = sparse.indices.aligned();
  const std::int64_t count = sparse.values.element_count();
  const std::int64_t rank = sparse.dimensions.rank();
  const Shape& shape = indices.shape();
  const bool is_flat = shape.rank() == 1 && shape[0] == count;
  const bool is_by_axis = shape.rank() == 2 && shape[0] == count && shape[1] == rank;
  if (indices.type() != DataType::int64 || (!is_flat && !is_by_axis)) {
    throw bad_sparse(format("indices are {} of shape {}, expected int64 of shape {} or {}x{}",
                            name_of(indices.type()), shape.to_string(), count, count, rank));
  }
  const auto numbers = indices.data<std::int64_t>();
  std::int64_t previous = -1;
  const std::int64_t total = sparse.dimensions.element_count();
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t position = 0;
    if (is_flat) {
      position = numbers[static_cast<std::size_t>(i)];
      if (position < 0 || position >= total) {
        throw bad_sparse(format("index {} is outside the {} elements", position, total));
      }
    } else {
      for (std::int64_t axis = 0; axis < rank; ++axis) {
        const std::int64_t index = numbers[static_cast<std::size_t>(i * rank + axis)];
        if (index < 0 || index >= sparse.dimensions[axis]) {
          throw bad_sparse(format("index {} is outside dimension {} of {}", index, axis,
                                  sparse.dimensions[axis]));
        }
        position = position * sparse.dimensions[axis] + index;
      }
    }
    if (position <= previous) throw bad_sparse("indices are not in increasing order");
    previous = position;
  }
}

}  // namespace

SparseTensor read_sparse_tensor(LoadContext& context, Message message, std::string_view* name) {
  SparseTensor sparse;
  std::optional<Message> values;
  std::optional<Message> indices;
  std::vector<std::int64_t> dims;
  Residue residue;
  WireReader reader(context.source, message, sparse_tensor_table);
  reader.keep_unknown(residue);
  while (reader.next()) {
    switch (reader.number()) {
      case sparse_tensor_field::values:
        values = reader.message();
        break;
      case sparse_tensor_field::indices:
        indices = reader.message();
        break;
      default:
        if (static_cast<std::int64_t>(dims.size()) + reader.count_numbers() >
            Shape::max_dimensions) {
          throw bad_sparse(
              format("a sparse tensor has more than {} dimensions", Shape::max_dimensions));
        }
        reader.each_number(
            [&](std::uint64_t value) { dims.push_back(static_cast<std::int64_t>(value)); });
        break;
    }
  }
  sparse.spelling = reader.present_fields();
  if (!residue.is_empty()) sparse.residue = std::make_shared<const Residue>(std::move(residue));
  if (!values) throw bad_sparse("a sparse tensor has no values");
  const NamedTensor read_values = read_tensor(context, *values);
  if (name != nullptr) *name = read_values.name;
  try {
    sparse.values = read_values.tensor;
    sparse.dimensions = Shape(std::move(dims));
    bytes_of(sparse.values.type(), sparse.dimensions.element_count());
    if (sparse.values.shape().rank() != 1) {
      throw bad_sparse(format("values have shape {}, expected one dimension",
                              sparse.values.shape().to_string()));
    }
    const std::int64_t count = sparse.values.element_count();
    sparse.indices =
        indices ? read_tensor(context, *indices).tensor : Tensor(DataType::int64, Shape{0});
    if (!indices && count > 0) throw bad_sparse(format("{} values have no indices", count));
    check_indices(sparse);
  } catch (const Error& error) {
    throw prefixed(error, "sparse tensor " + quote(read_values.name), "tensor.sparse");
  }
  return sparse;
}

Tensor to_dense(LoadContext& context, const SparseTensor& sparse) {
  const DataType type = sparse.values.type();
  const int bits = element_bits(type);
  if (bits == 0) {
    throw Error(ErrorCode::unsupported,
                format("sparse tensors of {} are not supported", name_of(type)),
                "store the tensor as a dense one")
        .with_id("tensor.sparse");
  }
  context.budget.take_dense_bytes(bytes_of(type, sparse.dimensions.element_count()));
  Tensor dense(type, sparse.dimensions);
  std::memset(dense.mutable_bytes(), 0, static_cast<std::size_t>(dense.size_bytes()));
  const Tensor indices = sparse.indices.aligned();
  const auto numbers = indices.data<std::int64_t>();
  const bool is_flat = indices.shape().rank() == 1;
  const std::int64_t rank = sparse.dimensions.rank();
  for (std::int64_t i = 0; i < sparse.values.element_count(); ++i) {
    std::int64_t position = is_flat ? numbers[static_cast<std::size_t>(i)] : 0;
    for (std::int64_t axis = 0; !is_flat && axis < rank; ++axis) {
      position =
          position * sparse.dimensions[axis] + numbers[static_cast<std::size_t>(i * rank + axis)];
    }
    if (bits < 8) {
      set_packed(dense.mutable_bytes(), position, bits, get_packed(sparse.values.bytes(), i, bits));
      continue;
    }
    const auto width = static_cast<std::size_t>(bits / 8);
    std::memcpy(dense.mutable_bytes() + static_cast<std::size_t>(position) * width,
                sparse.values.bytes() + static_cast<std::size_t>(i) * width, width);
  }
  return dense;
}

}  // namespace ortool::onnx
