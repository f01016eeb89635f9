// Kernels for ortool.Reorder: conversion between NCHW and NCHWc layouts.
#include "kernels/cpu/conv/reorder.hpp"

#include <algorithm>
#include <array>

#include "kernels/cpu/conv/reorder_int8.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"

namespace ortool::cpu {
namespace {

/// Only the session creates such nodes, with their layouts set.
std::vector<LayoutChoice> no_choice(const NodeView&, const KernelRow&) {
  return {};
}

KernelPtr compile_reorder(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const Layout from = view.layouts().input(0);
  const Layout to = view.layouts().output(0);
  ORTOOL_CHECK((from == Layout::plain) != (to == Layout::plain));
  return make_kernel(row.name, [from, to, isa = row.isa](const PrepareContext& context) {
    const Shape& shape = context.inputs[0].shape;
    ReorderSizes sizes;
    sizes.batch = shape[0];
    sizes.channels = shape[1];
    sizes.pixels = shape.product(2, shape.rank());
    sizes.block = std::max(block_of(from), block_of(to));
    const bool is_plain = to == Layout::plain;
    // A single pixel has the same layout in both, except for padding channels.
    const bool is_whole = sizes.channels % sizes.block == 0;
    if (sizes.pixels == 1 && (is_whole || (is_plain && sizes.batch == 1)))
      return make_prepared({.view_of = 0}, [](const RunContext&) {});
    if (context.inputs[0].type != DataType::float32) {
      return make_prepared({}, [=](const RunContext& run) {
        (is_plain ? reorder_int8_to_nchw : reorder_int8_to_nchwc)(
            sizes, run.input<std::uint8_t>(0), run.output<std::uint8_t>(0), run.workers());
      });
    }
    return make_prepared({}, [=](const RunContext& run) {
      (is_plain ? reorder_to_nchw : reorder_to_nchwc)(sizes, run.input<float>(0),
                                                      run.output<float>(0), isa, run.workers());
    });
  });
}

bool accepts_blocked_int8(const NodeView& view) {
  return view.input_type(0) == DataType::uint8 || view.input_type(0) == DataType::int8;
}

/// A node in a model file: both values are NCHW.
KernelPtr compile_nothing(const NodeView&, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [](const PrepareContext&) {
    return make_prepared({.view_of = 0}, [](const RunContext&) {});
  });
}

// clang-format off
constexpr std::array<KernelRow, 5> reorder_rows = {{
    {"reorder_avx512", "ortool", "Reorder", Isa::avx512, "float32", accepts_float32, compile_reorder, nullptr, no_choice},
    {"reorder_avx2", "ortool", "Reorder", Isa::avx2, "float32", accepts_float32, compile_reorder, nullptr, no_choice},
    {"reorder_baseline", "ortool", "Reorder", Isa::baseline, "float32", accepts_float32, compile_reorder, nullptr, no_choice},
    {"reorder_int8", "ortool", "Reorder", Isa::baseline, "int8, uint8", accepts_blocked_int8, compile_reorder, nullptr, no_choice},
    {"reorder_empty", "ortool", "Reorder", Isa::baseline, "float32, int8, uint8", accepts_anything, compile_nothing},
}};
// clang-format on

}  // namespace

std::span<const KernelRow> reorder_kernels() {
  return reorder_rows;
}

}  // namespace ortool::cpu
