// Kernels for the internal operator ChannelLookup.
#include "kernels/cpu/elementwise/channel_lookup.hpp"

#include <array>
#include <vector>

#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/int8_layouts.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

ChannelLookupSizes channel_sizes(const Shape& x) {
  return {x[0], x[1], x.product(2, x.rank())};
}

KernelPtr compile_channel_lookup(const NodeView&, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [isa = row.isa](const PrepareContext& context) {
    const ChannelLookupSizes sizes = channel_sizes(context.inputs[0].shape);
    return make_prepared({.overwritable = {0}}, [sizes, isa](const RunContext& run) {
      channel_lookup(sizes, run.input<std::uint8_t>(0), run.input<std::uint8_t>(1),
                     run.output<std::uint8_t>(0), isa, run.workers());
    });
  });
}

KernelPtr compile_channel_lookup_nchwc(const NodeView&, const KernelRow& row,
                                       const CompileContext&) {
  return make_kernel(row.name, [isa = row.isa](const PrepareContext& context) {
    const ChannelLookupSizes sizes = channel_sizes(context.inputs[0].shape);
    return make_prepared({.overwritable = {0}}, [sizes, isa](const RunContext& run) {
      channel_lookup_nchwc(sizes, run.input<std::uint8_t>(0), run.input<std::uint8_t>(1),
                           run.output<std::uint8_t>(0), isa, run.workers());
    });
  });
}

bool accepts_channel_lookup(const NodeView&) {
  return true;
}

std::vector<LayoutChoice> channel_lookup_layouts(const NodeView& view, const KernelRow&) {
  if (!is_int8_image(*view.node().input(0))) return {};
  return int8_layout_choices(view, {0});
}

constexpr KernelRow blocked_row(std::string_view name, Isa isa) {
  return {name,
          "ortool",
          "ChannelLookup",
          isa,
          "int8, uint8",
          accepts_channel_lookup,
          compile_channel_lookup_nchwc,
          nullptr,
          channel_lookup_layouts};
}

constexpr auto channel_lookup_rows = join_rows(
    int8_isa_rows<"channel_lookup">("ChannelLookup", "int8, uint8", accepts_channel_lookup,
                                    compile_channel_lookup, "ortool"),
    std::array<KernelRow, 2>{blocked_row("channel_lookup_nchwc_avx512", Isa::avx512),
                             blocked_row("channel_lookup_nchwc_avx2", Isa::avx2)});

}  // namespace

std::span<const KernelRow> channel_lookup_kernels() {
  return channel_lookup_rows;
}

}  // namespace ortool::cpu
