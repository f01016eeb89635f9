// Kernels for Concat and Split: copy rows of bytes to or from their place along an axis.
#include "libcore/ops/tensor/concat.hpp"

#include <vector>

#include "kernels/cpu/data_movement/copy_strided.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/tensor/split.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/known_operand.hpp"

namespace ortool::cpu {
namespace {

/// Position of a part's rows within the rows of the whole tensor.
struct PartRows {
  std::int64_t offset_bytes;
  std::int64_t row_bytes;
};

struct PartLayout {
  std::int64_t rows;
  std::int64_t whole_row_bytes;
  std::vector<PartRows> parts;
};

/// Splits `whole` along `axis` into `parts`; a part of undefined type is skipped.
PartLayout lay_out_parts(const Operand& whole, std::span<const Operand> parts, std::int64_t axis,
                         std::span<const std::int64_t> sizes) {
  const Shape& shape = whole.shape;
  const std::int64_t along = normalize_axis(axis, shape.rank());
  const std::int64_t inner_bytes =
      shape.product(along + 1, shape.rank()) * (element_bits(whole.type) / 8);
  PartLayout layout{shape.product(0, along), shape[along] * inner_bytes, {}};
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::int64_t row_bytes = sizes[i] * inner_bytes;
    layout.parts.push_back({offset, parts[i].is_given() ? row_bytes : 0});
    offset += row_bytes;
  }
  return layout;
}

KernelPtr compile_concat(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_kernel(
      row.name, [axis = read_op<Concat>(view.node()).axis](const PrepareContext& context) {
        const std::int64_t along = normalize_axis(axis, context.outputs[0].shape.rank());
        std::vector<std::int64_t> sizes;
        for (const Operand& input : context.inputs) sizes.push_back(input.shape[along]);
        Preparation preparation;
        PartLayout layout = lay_out_parts(context.outputs[0], context.inputs, axis, sizes);
        if (context.inputs.size() == 1) preparation.view_of = 0;
        if (layout.rows == 1) {
          for (const PartRows& part : layout.parts) preparation.places.push_back(part.offset_bytes);
        }
        return make_prepared(preparation, [layout = std::move(layout)](const RunContext& run) {
          for (std::size_t i = 0; i < layout.parts.size(); ++i) {
            const PartRows& part = layout.parts[i];
            std::byte* place = run.output<std::byte>(0) + part.offset_bytes;
            if (part.row_bytes == 0 || run.input<std::byte>(i) == place) continue;
            copy_rows(run.input<std::byte>(i), part.row_bytes, place, layout.whole_row_bytes,
                      part.row_bytes, layout.rows, run.workers());
          }
        });
      });
}

KernelPtr compile_split(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [op = read_op<Split>(view.node())](const PrepareContext& context) {
    const Shape& shape = context.inputs[0].shape;
    const std::int64_t along = normalize_axis(op.axis, shape.rank());
    const auto count = static_cast<std::int64_t>(context.outputs.size());
    const std::vector<std::int64_t> sizes = op.sizes.is_given()
                                                ? required_operand(context, op.sizes, "split")
                                                : op.even_sizes(shape[along], count);
    PartLayout layout = lay_out_parts(context.inputs[0], context.outputs, op.axis, sizes);
    Preparation preparation;
    if (layout.rows == 1) {
      for (const PartRows& part : layout.parts)
        preparation.views.push_back({0, part.row_bytes > 0 ? part.offset_bytes : 0});
    }
    return make_prepared(preparation, [layout = std::move(layout)](const RunContext& run) {
      for (std::size_t i = 0; i < layout.parts.size(); ++i) {
        const PartRows& part = layout.parts[i];
        if (part.row_bytes == 0) continue;
        copy_rows(run.input<std::byte>(0) + part.offset_bytes, layout.whole_row_bytes,
                  run.output<std::byte>(i), part.row_bytes, part.row_bytes, layout.rows,
                  run.workers());
      }
    });
  });
}

constexpr auto concat_rows = join_rows(
    portable_row("concat", "Concat", int8_type_names, accepts_whole_bytes, compile_concat),
    portable_row("split", "Split", int8_type_names, accepts_whole_bytes, compile_split));

}  // namespace

std::span<const KernelRow> concat_kernels() {
  return concat_rows;
}

}  // namespace ortool::cpu
