// Kernel for DynamicTimeWarping of com.microsoft, whose path has a length that depends on the data.
#include "libcore/ops/contrib/search/dynamic_time_warping.hpp"

#include "kernels/cpu/search/time_warping.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"

namespace ortool::cpu {
namespace {

KernelPtr compile_time_warping(const NodeView&, const KernelRow& row, const CompileContext&) {
  return make_dynamic_kernel(row.name, [](DynamicContext& context) {
    const Shape& shape = context.input(0).shape();
    const std::int64_t rank = shape.rank();
    if (rank != 2 && (rank != 3 || shape[0] != 1)) {
      throw Error(ErrorCode::invalid,
                  format("'input' has the shape {} (expected [rows, columns], or 1 before them)",
                         shape.to_string()));
    }
    const std::int64_t rows = shape[rank - 2];
    const std::int64_t columns = shape[rank - 1];
    Tensor steps = context.make(DataType::uint8, Shape{rows, columns});
    auto* step = reinterpret_cast<std::uint8_t*>(steps.mutable_bytes());
    find_warp_steps(context.input(0).data<float>().data(), rows, columns, step);
    const auto path = warp_path(step, rows, columns);
    Tensor result = context.make(DataType::int32, Shape{2, static_cast<std::int64_t>(path.size())});
    const std::span<std::int32_t> out = result.mutable_data<std::int32_t>();
    for (std::size_t i = 0; i < path.size(); ++i) {
      out[i] = path[i].first;
      out[path.size() + i] = path[i].second;
    }
    context.set_output(0, std::move(result));
  });
}

constexpr KernelRow time_warping_rows[] = {{"dynamic_time_warping", contrib_domain,
                                            "DynamicTimeWarping", Isa::baseline, "float32",
                                            accepts_anything, compile_time_warping}};

}  // namespace

std::span<const KernelRow> dynamic_time_warping_kernels() {
  return time_warping_rows;
}

}  // namespace ortool::cpu
