// Kernels for Slice, Expand, Tile and Transpose, which read their input with other strides.
#include <algorithm>
#include <optional>
#include <vector>

#include "kernels/cpu/data_movement/copy_strided.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/tensor/layout/expand.hpp"
#include "libcore/ops/tensor/layout/transpose.hpp"
#include "libcore/ops/tensor/slice.hpp"
#include "libcore/ops/tensor/tile.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/known_operand.hpp"

namespace ortool::cpu {
namespace {

using Sizes = std::vector<std::int64_t>;

std::int64_t bytes_of_element(const Operand& operand) {
  return element_bits(operand.type) / 8;
}

Sizes strides_of(const Shape& shape) {
  Sizes strides(static_cast<std::size_t>(shape.rank()), 1);
  for (std::size_t i = strides.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[static_cast<std::int64_t>(i)];
  return strides;
}

/// Whether the elements read with `strides` are contiguous.
bool lies_in_one_piece(const Shape& shape, const Sizes& strides) {
  std::int64_t next = 1;
  for (std::int64_t axis = shape.rank(); axis-- > 0;) {
    if (shape[axis] == 1) continue;
    if (strides[static_cast<std::size_t>(axis)] != next) return false;
    next *= shape[axis];
  }
  return true;
}

/// A copy to the output's shape, read from element `offset` on with `strides`.
PreparedPtr prepare_copy(const PrepareContext& context, std::int64_t offset, Sizes strides) {
  const Operand& output = context.outputs[0];
  const Sizes sizes(output.shape.begin(), output.shape.end());
  const std::int64_t element_bytes = bytes_of_element(output);
  Preparation preparation;
  if (lies_in_one_piece(output.shape, strides)) {
    const bool is_empty = output.shape.element_count() == 0;
    preparation.views.push_back({0, is_empty ? 0 : offset * element_bytes});
  }
  return make_prepared(preparation, [=, strides = std::move(strides)](const RunContext& run) {
    copy_strided(run.input<std::byte>(0) + offset * element_bytes, run.output<std::byte>(0), sizes,
                 strides, element_bytes, run.workers());
  });
}

KernelPtr compile_slice(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [op = read_op<Slice>(view.node())](const PrepareContext& context) {
    const Shape& shape = context.inputs[0].shape;
    const std::vector<Slice::Range> ranges = Slice::ranges(
        shape, required_operand(context, op.starts, "starts"),
        required_operand(context, op.ends, "ends"), known_operand(context, op.axes, "axes"),
        known_operand(context, op.steps, "steps"));
    Sizes strides = strides_of(shape);
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      offset += ranges[i].start * strides[i];
      strides[i] *= ranges[i].step;
    }
    return prepare_copy(context, offset, std::move(strides));
  });
}

KernelPtr compile_expand(const NodeView&, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [](const PrepareContext& context) {
    const Shape& from = context.inputs[0].shape;
    const Shape& to = context.outputs[0].shape;
    const Sizes own = strides_of(from);
    Sizes strides(static_cast<std::size_t>(to.rank()), 0);
    const std::int64_t added = to.rank() - from.rank();
    for (std::int64_t axis = added; axis < to.rank(); ++axis) {
      const std::int64_t source = axis - added;
      const bool is_repeated = from[source] == 1 && to[axis] != 1;
      strides[static_cast<std::size_t>(axis)] =
          is_repeated ? 0 : own[static_cast<std::size_t>(source)];
    }
    return prepare_copy(context, 0, std::move(strides));
  });
}

KernelPtr compile_tile(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [op = read_op<Tile>(view.node())](const PrepareContext& context) {
    const Operand& input = context.inputs[0];
    Sizes repeats;
    if (!op.one_axis) {
      repeats = required_operand(context, op.repeats, "repeats");
    } else {
      const Tensor* tiles = context.inputs[1].known.read_value();
      const Tensor* axis = context.inputs[2].known.read_value();
      if (tiles == nullptr || axis == nullptr) {
        throw Error(ErrorCode::unsupported,
                    "inputs 'tiles' and 'axis' depend on data computed at run time",
                    "make them constants");
      }
      repeats = legacy_repeats(*tiles, *axis, input.shape.rank());
    }
    Preparation preparation;
    if (std::all_of(repeats.begin(), repeats.end(), [](std::int64_t n) { return n == 1; }))
      preparation.view_of = 0;
    return make_prepared(preparation,
                         [shape = input.shape, repeats,
                          element_bytes = bytes_of_element(input)](const RunContext& run) {
                           tile(run.input<std::byte>(0), run.output<std::byte>(0),
                                shape.dimensions(), repeats, element_bytes, run.workers());
                         });
  });
}

/// Whether all dimensions above 1 keep their order, so that the bytes are unchanged.
bool keeps_order(const Shape& shape, const Sizes& order) {
  std::int64_t last = -1;
  for (const std::int64_t axis : order) {
    if (shape[axis] == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

KernelPtr compile_transpose(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_kernel(
      row.name, [op = read_op<Transpose>(view.node())](const PrepareContext& context) {
        const Operand& input = context.inputs[0];
        const Sizes order = op.order(input.shape.rank());
        Preparation preparation;
        if (keeps_order(input.shape, order)) preparation.view_of = 0;
        return make_prepared(preparation,
                             [shape = input.shape, order,
                              element_bytes = bytes_of_element(input)](const RunContext& run) {
                               transpose(run.input<std::byte>(0), run.output<std::byte>(0),
                                         shape.dimensions(), order, element_bytes, run.workers());
                             });
      });
}

constexpr auto strided_copy_rows = join_rows(
    portable_row("expand", "Expand", int8_type_names, accepts_whole_bytes, compile_expand),
    portable_row("slice", "Slice", int8_type_names, accepts_whole_bytes, compile_slice),
    portable_row("tile", "Tile", int8_type_names, accepts_whole_bytes, compile_tile),
    portable_row("transpose", "Transpose", int8_type_names, accepts_whole_bytes,
                 compile_transpose));

}  // namespace

std::span<const KernelRow> strided_copy_kernels() {
  return strided_copy_rows;
}

}  // namespace ortool::cpu
