// Batched GEMM: large products run one after the other, small ones in parallel.
#include <algorithm>

#include "kernels/cpu/gemm/f32/gemm.hpp"
#include "kernels/cpu/parallel/workspace_slots.hpp"

namespace ortool::cpu {
namespace {

/// Small products are one task each; large ones are partitioned internally.
bool runs_side_by_side(std::int64_t batch, const GemmSizes& sizes) {
  const auto work =
      static_cast<double>(sizes.m) * static_cast<double>(sizes.n) * static_cast<double>(sizes.k);
  return batch >= 16 || (batch > 1 && work < 2e6);
}

}  // namespace

std::int64_t gemm_batched_workspace_bytes(std::int64_t batch, const GemmSizes& sizes, Isa isa,
                                          int threads) {
  const std::int64_t one = gemm_unpacked_workspace_bytes(sizes, isa);
  return runs_side_by_side(batch, sizes) ? one * std::max(threads, 1) : one;
}

void gemm_batched(std::span<const GemmOffsets> offsets, const GemmSizes& sizes,
                  const StridedMatrix& a, const StridedMatrix& b, float* c, std::int64_t c_stride,
                  const Epilogue& epilogue, Isa isa, void* workspace, Workers& workers) {
  const auto batch = static_cast<std::int64_t>(offsets.size());
  const auto run_one = [&](std::int64_t index, void* space, Workers& helpers) {
    const GemmOffsets& offset = offsets[static_cast<std::size_t>(index)];
    StridedMatrix a_here = a;
    a_here.data += offset.a;
    StridedMatrix b_here = b;
    b_here.data += offset.b;
    Epilogue epilogue_here = epilogue;
    if (epilogue.added != nullptr) epilogue_here.added += offset.added;
    if (epilogue.residual != nullptr) epilogue_here.residual += offset.residual;
    gemm_unpacked(sizes, a_here, b_here, c + offset.c, c_stride, epilogue_here, isa, space,
                  helpers);
  };
  if (!runs_side_by_side(batch, sizes)) {
    for (std::int64_t index = 0; index < batch; ++index) run_one(index, workspace, workers);
    return;
  }
  WorkspaceSlots slots(workspace, gemm_unpacked_workspace_bytes(sizes, isa), workers.count());
  workers.parallel_for(batch, [&](std::int64_t index) {
    const WorkspaceSlots::Lease lease(slots);
    Workers alone;
    run_one(index, lease.data(), alone);
  });
}

}  // namespace ortool::cpu
