// Experimental operators that ONNX removed, one line each, sorted by domain, then name.
#include "libcore/ops/experimental/caffe2_ops.hpp"
#include "libcore/ops/experimental/crop.hpp"
#include "libcore/ops/experimental/dynamic_slice.hpp"
#include "libcore/ops/experimental/fill.hpp"
#include "libcore/ops/experimental/scaled_functions.hpp"
#include "libcore/ops/operator_lists.hpp"

namespace ortool {
namespace {

using enum OpTrait;

constexpr OpEntry experimental_entries[] = {
    op_entry<ATen>({.set = {withdrawn}}),
    op_entry<Affine>({.set = {elementwise, withdrawn}}),
    op_entry<ConstantFill>(),
    op_entry<Crop>({.set = {keeps_axes, withdrawn}}),
    op_entry<DynamicSlice>({.set = {withdrawn}}),
    op_entry<GRUUnit>({.set = {withdrawn}}),
    op_entry<GivenTensorFill>({.set = {withdrawn}}),
    op_entry<ImageScaler>({.set = {keeps_axes, withdrawn}}),
    op_entry<ParametricSoftplus>({.set = {elementwise, withdrawn}}),
    op_entry<ScaleOp>({.set = {elementwise, withdrawn}}),
    op_entry<ScaledTanh>({.set = {elementwise, withdrawn}}),
};

}  // namespace

std::span<const OpEntry> experimental_operators() {
  return experimental_entries;
}

}  // namespace ortool
