// Kernel rows of operators that give their input's bytes another shape: nothing is computed.
#include "providers/cpu/accepts.hpp"
#include "providers/cpu/function_kernel.hpp"
#include "providers/cpu/kernel_files.hpp"
#include "providers/cpu/level_rows.hpp"

namespace ortool::cpu {
namespace {

KernelPtr compile_view(const NodeView&, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [](const PrepareContext&) {
    return make_prepared({.view_of = 0}, [](const RunContext&) {});
  });
}

constexpr auto view_rows =
    join_rows(plain_row("flatten", "Flatten", stored_type_names, accepts_stored, compile_view),
              plain_row("identity", "Identity", stored_type_names, accepts_stored, compile_view),
              plain_row("reshape", "Reshape", stored_type_names, accepts_stored, compile_view),
              plain_row("squeeze", "Squeeze", stored_type_names, accepts_stored, compile_view),
              plain_row("unsqueeze", "Unsqueeze", stored_type_names, accepts_stored, compile_view));

}  // namespace

std::span<const KernelRow> view_kernels() {
  return view_rows;
}

}  // namespace ortool::cpu
