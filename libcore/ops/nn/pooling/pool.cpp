// Version differences of the pools: dilations, ceil_mode and the type of p.
#include "libcore/ops/nn/pooling/pool.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/nn/conv/window_operands.hpp"
#include "libcore/ops/nn/normalization/norm_order.hpp"

namespace ortool {

namespace {

/// Since this version, the output size of a window larger than its image is rounded differently
/// with ceil_mode.
constexpr int version_rounding_to_zero = 22;

void read_window(WindowAttributes& window, AttributeReader& attributes, int version) {
  window.read(attributes);
  window.ceil_to_zero = version >= version_rounding_to_zero;
}

}  // namespace

void MaxPool::read(AttributeReader& attributes, int version) {
  read_window(window, attributes, version);
  column_major = attributes.flag("storage_order");
}

void MaxPool::infer(InferContext& context) const {
  const PartialShape shape = pool_shape(window, context);
  context.set_output(0, context.element(0), shape);
  context.set_output(1, DataType::int64, shape);
}

void AveragePool::read(AttributeReader& attributes, int version) {
  read_window(window, attributes, version);
  count_pads = attributes.flag("count_include_pad");
}

void AveragePool::infer(InferContext& context) const {
  context.set_output(0, context.element(0), pool_shape(window, context));
}

void LpPool::read(AttributeReader& attributes, int version) {
  read_window(window, attributes, version);
  p = read_norm_order(attributes, version);
  if (window.kernel.empty()) {
    throw Error(ErrorCode::invalid, "attribute 'kernel_shape' is missing or empty");
  }
}

void LpPool::infer(InferContext& context) const {
  context.set_output(0, context.element(0), pool_shape(window, context));
}

}  // namespace ortool
