// Operators that ONNX tried and removed, one line each, sorted by domain, then name.
#include "libcore/ops/experimental/caffe2_ops.hpp"
#include "libcore/ops/experimental/crop.hpp"
#include "libcore/ops/experimental/dynamic_slice.hpp"
#include "libcore/ops/experimental/fill.hpp"
#include "libcore/ops/experimental/scaled_functions.hpp"
#include "libcore/ops/operator_lists.hpp"

namespace ortool {
namespace {

constexpr OpEntry experimental_entries[] = {
    op_entry<ATen>(),
    op_entry<Affine>(),
    op_entry<ConstantFill>(),
    op_entry<Crop>(),
    op_entry<DynamicSlice>(),
    op_entry<GRUUnit>(),
    op_entry<GivenTensorFill>(),
    op_entry<ImageScaler>(),
    op_entry<ParametricSoftplus>(),
    op_entry<ScaleOp>(),
    op_entry<ScaledTanh>(),
};

}  // namespace

std::span<const OpEntry> experimental_operators() {
  return experimental_entries;
}

}  // namespace ortool
