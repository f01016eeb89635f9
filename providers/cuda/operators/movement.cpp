// Data movement: reshapes, transposes, slices, concatenation, padding, constants by shape.
#include <algorithm>
#include <array>
#include <cstring>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/generator/constant_of_shape.hpp"
#include "libcore/ops/nn/dropout.hpp"
#include "libcore/ops/tensor/concat.hpp"
#include "libcore/ops/tensor/layout/depth_to_space.hpp"
#include "libcore/ops/tensor/layout/transpose.hpp"
#include "libcore/ops/tensor/pad.hpp"
#include "libcore/ops/tensor/slice.hpp"
#include "libcore/ops/tensor/split.hpp"
#include "libcore/ops/tensor/trilu.hpp"
#include "libcore/tensor/convert.hpp"
#include "providers/cuda/operators/operator_table.hpp"

namespace ortool::cuda {
namespace {

using Integers = std::vector<std::int64_t>;

/// The input's elements in their order, with another shape.
std::size_t emit_view(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  DeviceTensor tensor = builder.input(node, 0);
  tensor.shape = builder.output_shape(node);
  builder.set_output(node, 0, std::move(tensor));
  return 0;
}

std::string refuses_training(const Node& node) {
  const auto op = read_op<Dropout>(node);
  if (is_used(node, 1)) return "the mask as a result";
  if (op.is_training.value.value_or(false) || op.is_training.input >= 0)
    return "training runs on the cpu";
  return {};
}

std::size_t emit_transpose(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const DeviceTensor from = builder.input(node, 0);
  const Integers order = read_op<Transpose>(node).order(from.shape.rank());
  const Shape& shape = builder.output_shape(node);
  const Integers strides = strides_of(from.shape);
  Integers own;
  std::int64_t last = -1;
  bool is_view = true;
  for (const std::int64_t axis : order) {
    own.push_back(strides[static_cast<std::size_t>(axis)]);
    if (from.shape[axis] == 1) continue;
    is_view = is_view && axis > last;
    last = axis;
  }
  if (is_view) return emit_view(builder, node, {});
  emit_copy(builder, from, 0, shape, own, builder.make_output(node), 0, strides_of(shape));
  return 0;
}

std::size_t emit_expand(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const DeviceTensor from = builder.input(node, 0);
  const Shape& shape = builder.output_shape(node);
  if (from.count() == shape.element_count()) return emit_view(builder, node, {});
  const Integers strides = strides_of(from.shape);
  Integers own(static_cast<std::size_t>(shape.rank()), 0);
  const std::int64_t lead = shape.rank() - from.shape.rank();
  for (std::int64_t axis = lead; axis < shape.rank(); ++axis) {
    if (from.shape[axis - lead] != 1)
      own[static_cast<std::size_t>(axis)] = strides[static_cast<std::size_t>(axis - lead)];
  }
  emit_copy(builder, from, 0, shape, own, builder.make_output(node), 0, strides_of(shape));
  return 0;
}

/// Repeats are axes of their own, which have no stride.
std::size_t emit_tile(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const DeviceTensor from = builder.input(node, 0);
  const Shape& shape = builder.output_shape(node);
  if (shape.element_count() == 0) {
    builder.make_output(node);
    return 0;
  }
  const Integers strides = strides_of(from.shape);
  Integers sizes;
  Integers own;
  for (std::int64_t axis = 0; axis < shape.rank(); ++axis) {
    sizes.push_back(shape[axis] / from.shape[axis]);
    own.push_back(0);
    sizes.push_back(from.shape[axis]);
    own.push_back(strides[static_cast<std::size_t>(axis)]);
  }
  const Shape loops(sizes);
  emit_copy(builder, from, 0, loops, own, builder.make_output(node), 0, strides_of(loops));
  return 0;
}

std::size_t emit_concat(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const Shape& shape = builder.output_shape(node);
  const std::int64_t axis = normalize_axis(read_op<Concat>(node).axis, shape.rank());
  bool is_last = true;
  for (std::int64_t i = 0; i < node.input_count(); ++i)
    is_last = is_last && builder.stored_input(node, i).is_channels_last;
  const DeviceTensor to = builder.make_output(node, 0, is_last);
  const Shape loops = sizes_in_memory(to);
  const Integers strides = strides_of(loops);
  const std::int64_t at = !is_last || axis == 0 ? axis : axis == 1 ? 3 : axis - 1;
  std::int64_t place = 0;
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const DeviceTensor from = builder.input_in(node, i, is_last);
    const Shape sizes = sizes_in_memory(from);
    emit_copy(builder, from, 0, sizes, strides_of(sizes), to,
              place * strides[static_cast<std::size_t>(at)], strides);
    place += from.shape[axis];
  }
  return 0;
}

/// A part of a tensor: a view if it is dense.
void emit_part(DevicePlanBuilder& builder, const Node& node, std::int64_t output,
               const DeviceTensor& from, std::int64_t offset, const Integers& strides) {
  const Shape& shape = builder.output_shape(node, output);
  const Integers dense = strides_of(shape);
  bool is_dense = shape.element_count() > 0;
  for (std::int64_t axis = 0; axis < shape.rank(); ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    is_dense = is_dense && (shape[axis] == 1 || strides[at] == dense[at]);
  }
  const std::int64_t bytes = bytes_of(from.type, 1);
  constexpr std::int64_t view_alignment = 16;
  if (is_dense && offset * bytes % view_alignment == 0) {
    builder.set_output(node, output, {from.type, shape, from.memory.plus(offset * bytes)});
    return;
  }
  emit_copy(builder, from, offset, shape, strides, builder.make_output(node, output), 0, dense);
}

std::size_t emit_slice(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const Slice op = read_op<Slice>(node);
  const DeviceTensor from = builder.input(node, 0);
  const auto integers = [&](const ValueOrInput<Integers>& given) -> std::optional<Integers> {
    if (given.value) return given.value;
    if (!builder.has_input(node, given.input)) return std::nullopt;
    return builder.integers(node, given.input);
  };
  const std::vector<Slice::Range> ranges =
      Slice::ranges(from.shape, integers(op.starts).value_or(Integers{}),
                    integers(op.ends).value_or(Integers{}), integers(op.axes), integers(op.steps));
  Integers strides = strides_of(from.shape);
  std::int64_t offset = 0;
  for (std::size_t axis = 0; axis < ranges.size(); ++axis) {
    offset += ranges[axis].start * strides[axis];
    strides[axis] *= ranges[axis].step;
  }
  if (builder.output_shape(node).element_count() == 0) offset = 0;
  emit_part(builder, node, 0, from, offset, strides);
  return 0;
}

std::size_t emit_split(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const DeviceTensor from = builder.input(node, 0);
  const std::int64_t axis = normalize_axis(read_op<Split>(node).axis, from.shape.rank());
  const Integers strides = strides_of(from.shape);
  std::int64_t place = 0;
  for (std::int64_t i = 0; i < node.output_count(); ++i) {
    if (node.output(i) == nullptr)
      throw Error(ErrorCode::unsupported, "a piece of Split is left out")
          .at_node(node.name(), node.op_type());
    emit_part(builder, node, i, from, place * strides[static_cast<std::size_t>(axis)], strides);
    place += builder.output_shape(node, i)[axis];
  }
  return 0;
}

std::string refuses_split(const Node& node) {
  for (std::int64_t i = 0; i < node.output_count(); ++i) {
    if (node.output(i) == nullptr) return "a piece is left out";
  }
  return {};
}

/// The bits of one element of `tensor`.
std::uint64_t bits_of(const Tensor& tensor) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, tensor.bytes(), static_cast<std::size_t>(tensor.size_bytes()));
  return bits;
}

/// How much of an axis a negative pad removes.
std::int64_t removed_by(std::int64_t pad, std::int64_t size) {
  return pad >= 0 ? 0 : pad <= -size ? size : -pad;
}

/// Takes what negative pads remove; the others remain.
void crop(DevicePlanBuilder& builder, DeviceTensor& tensor, Pad::Edges& edges) {
  Integers sizes;
  std::int64_t offset = 0;
  bool is_cropped = false;
  const Integers strides = strides_of(tensor.shape);
  for (std::int64_t axis = 0; axis < tensor.shape.rank(); ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    const std::int64_t before = removed_by(edges.begins[at], tensor.shape[axis]);
    const std::int64_t behind = removed_by(edges.ends[at], tensor.shape[axis]);
    is_cropped = is_cropped || before > 0 || behind > 0;
    sizes.push_back(std::max<std::int64_t>(0, tensor.shape[axis] - before - behind));
    offset += before * strides[at];
  }
  // What is removed beyond the other end is taken from its padding, as it is with positive pads.
  if (!is_cropped) return;
  const Shape shape(sizes);
  if (shape.element_count() == 0) {
    tensor.shape = shape;
    return;
  }
  const DeviceTensor part = builder.make(tensor.type, shape);
  emit_copy(builder, tensor, offset, shape, strides, part, 0, strides_of(shape));
  tensor = part;
  for (std::int64_t& begin : edges.begins) begin = std::max<std::int64_t>(0, begin);
}

std::size_t emit_pad(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const Pad op = read_op<Pad>(node);
  DeviceTensor from = builder.input(node, 0);
  const DeviceTensor to = builder.make_output(node);
  if (to.count() == 0) return 0;
  const auto integers = [&](const ValueOrInput<Integers>& given) -> std::optional<Integers> {
    if (given.value) return given.value;
    if (!builder.has_input(node, given.input)) return std::nullopt;
    return builder.integers(node, given.input);
  };
  Pad::Edges edges =
      Pad::edges(from.shape.rank(), integers(op.pads).value_or(Integers{}), integers(op.axes));
  crop(builder, from, edges);
  if (from.count() == 0 && op.mode != Pad::Mode::constant)
    throw Error(ErrorCode::invalid, "an empty axis has no element to repeat");
  PadParams params = {};
  params.from = from.pointer();
  params.to = to.pointer();
  params.bytes = static_cast<std::int32_t>(bytes_of(from.type, 1));
  params.kind = op.mode == Pad::Mode::constant  ? PadKind::constant
                : op.mode == Pad::Mode::reflect ? PadKind::reflect
                : op.mode == Pad::Mode::edge    ? PadKind::edge
                                                : PadKind::wrap;
  params.count = to.count();
  params.sizes.axes = static_cast<std::int32_t>(from.shape.rank());
  for (std::int64_t axis = 0; axis < from.shape.rank(); ++axis) {
    params.sizes.size[axis] = to.shape[axis];
    params.from_sizes[axis] = from.shape[axis];
    params.begins[axis] = edges.begins[static_cast<std::size_t>(axis)];
  }
  if (builder.has_input(node, 2)) {
    params.value = builder.input(node, 2).pointer();
  } else if (op.value != 0) {
    Tensor value(builder.output_type(node), Shape{});
    set_element(value, 0, static_cast<double>(op.value));
    params.value = builder.upload(value).pointer();
  }
  builder.launch_elements(KernelId::pad, params.count, params,
                          {&params.from, &params.to, &params.value});
  return 0;
}

std::size_t emit_constant_of_shape(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const auto op = read_op<ConstantOfShape>(node);
  const DeviceTensor to = builder.make_output(node);
  if (to.count() == 0) return 0;
  Tensor value(to.type, Shape{1});
  set_element(value, 0, 0.0);
  if (!op.value.is_empty() && op.value.type() == to.type) {
    value = op.value.aligned();
  } else if (!op.value.is_empty()) {
    set_element(value, 0, element_as_double(op.value.aligned(), 0));
  }
  FillParams params = {};
  params.to = to.pointer();
  params.bytes = static_cast<std::int32_t>(bytes_of(to.type, 1));
  params.count = to.count();
  params.value = bits_of(value);
  builder.launch_elements(KernelId::fill, params.count, params, {&params.to});
  return 0;
}

std::size_t emit_range(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const DeviceTensor to = builder.make_output(node);
  if (to.count() == 0) return 0;
  RangeParams params = {};
  params.output = to.pointer();
  params.type = to.element();
  params.count = to.count();
  if (is_real(builder.output_type(node))) {
    params.start = element_as_double(builder.known(node, 0)->aligned(), 0);
    params.step = element_as_double(builder.known(node, 2)->aligned(), 0);
  } else {
    const auto number = [&](std::int64_t input) {
      const Tensor content = builder.known(node, input)->aligned();
      const bool is_wide = content.type() == DataType::int64;
      return is_wide ? content.data<std::int64_t>().front()
                     : static_cast<std::int64_t>(element_as_double(content, 0));
    };
    params.integer_start = number(0);
    params.integer_step = number(2);
  }
  builder.launch_elements(KernelId::range, params.count, params, {&params.output});
  return 0;
}

std::string refuses_unknown_diagonal(const Node& node) {
  const bool is_given = node.input_count() > 1 && node.input(1) != nullptr;
  return is_given && !node.input(1)->is_constant() ? "the diagonal is known during the run alone"
                                                   : "";
}

std::size_t emit_trilu(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  const Trilu op = read_op<Trilu>(node);
  const DeviceTensor from = builder.input(node, 0);
  const DeviceTensor to = builder.make_output(node);
  if (to.count() == 0) return 0;
  TriluParams params = {};
  params.from = from.pointer();
  params.to = to.pointer();
  params.bytes = static_cast<std::int32_t>(bytes_of(from.type, 1));
  params.upper = op.upper ? 1 : 0;
  params.rows = from.shape[from.shape.rank() - 2];
  params.columns = from.shape[from.shape.rank() - 1];
  params.diagonal = op.k.value ? *op.k.value
                    : builder.has_input(node, op.k.input)
                        ? builder.integers(node, op.k.input).front()
                        : 0;
  params.count = to.count();
  builder.launch_elements(KernelId::trilu, params.count, params, {&params.from, &params.to});
  return 0;
}

/// Blocks of a plane become channels, or the reverse: a transpose of six axes.
template <typename Op>
std::size_t emit_depth(DevicePlanBuilder& builder, const Node& node, FusedNodes) {
  constexpr bool to_space = std::is_same_v<Op, DepthToSpace>;
  const Op op = read_op<Op>(node);
  const DeviceTensor from = builder.input(node, 0);
  const Shape& shape = builder.output_shape(node);
  if (shape.element_count() == 0) {
    builder.make_output(node);
    return 0;
  }
  const std::int64_t b = op.block;
  const Shape& wide = to_space ? shape : from.shape;  // with the larger plane
  const std::int64_t depth = wide[1];
  const std::int64_t height = wide[2] / b;
  const std::int64_t width = wide[3] / b;
  // The deep form as axes: depth is the last part of its channels (DCR, the default), or the first.
  const bool is_depth_last = !op.depth_last;
  const Shape deep = is_depth_last ? Shape{wide[0], b, b, depth, height, width}
                                   : Shape{wide[0], depth, b, b, height, width};
  const Integers strides = strides_of(deep);
  // In the order of the wide form: batch, depth, height, row of a block, width, column of a block.
  const Integers deep_strides =
      is_depth_last
          ? Integers{strides[0], strides[3], strides[4], strides[1], strides[5], strides[2]}
          : Integers{strides[0], strides[1], strides[4], strides[2], strides[5], strides[3]};
  const Shape loops{wide[0], depth, height, b, width, b};
  const Integers wide_strides = strides_of(loops);
  emit_copy(builder, from, 0, loops, to_space ? deep_strides : wide_strides,
            builder.make_output(node), 0, to_space ? wide_strides : deep_strides);
  return 0;
}

constexpr OperatorTypes elements = OperatorTypes::elements;
constexpr std::array<OperatorRow, 18> rows = {{
    {"", "Reshape", elements, 0b10, nullptr, emit_view},
    {"", "Flatten", elements, 0, nullptr, emit_view},
    {"", "Squeeze", elements, 0b10, nullptr, emit_view},
    {"", "Unsqueeze", elements, 0b10, nullptr, emit_view},
    {"", "Identity", elements, 0, nullptr, emit_view},
    {"", "Dropout", elements, 0b110, refuses_training, emit_view},
    {"", "Transpose", elements, 0, nullptr, emit_transpose},
    {"", "Expand", elements, 0b10, nullptr, emit_expand},
    {"", "Tile", elements, 0b110, nullptr, emit_tile},
    {"", "Concat", elements, 0, nullptr, emit_concat},
    {"", "Slice", elements, 0b11110, nullptr, emit_slice},
    {"", "Split", elements, 0b10, refuses_split, emit_split},
    {"", "Pad", elements, 0b1010, nullptr, emit_pad},
    {"", "ConstantOfShape", elements, 0b1, nullptr, emit_constant_of_shape},
    {"", "Range", OperatorTypes::numbers, 0b111, nullptr, emit_range},
    {"", "Trilu", elements, 0b10, refuses_unknown_diagonal, emit_trilu},
    {"", "DepthToSpace", elements, 0, nullptr, emit_depth<DepthToSpace>},
    {"", "SpaceToDepth", elements, 0, nullptr, emit_depth<SpaceToDepth>},
}};

}  // namespace

std::span<const OperatorRow> movement_rows() {
  return rows;
}

}  // namespace ortool::cuda
