// Depthwise NCHWc convolution: partitions the output into bands of rows and blocks of channels.
#include <algorithm>

#include "kernels/cpu/conv/f32_nchwc/depthwise_task.hpp"
#include "kernels/cpu/parallel/workspace_slots.hpp"
#include "libcore/base/error.hpp"

namespace ortool::cpu {

std::int64_t nchwc_depthwise_workspace_bytes(const ConvSizes& sizes,
                                             const NchwcFunctions& functions, int threads) {
  const NchwcConvOperands operands = {};
  const NchwcDepthwiseTask depthwise(sizes, operands, functions, nullptr);
  if (!depthwise.is_framed()) return 0;
  return depthwise.frame_bytes() * std::min<std::int64_t>(threads, depthwise.cut().tasks());
}

void conv_nchwc_depthwise(const ConvSizes& sizes, const NchwcConvOperands& operands,
                          const NchwcFunctions& functions, const Bf16DepthwiseFunctions* bfloat16,
                          void* workspace, Workers& workers) {
  const NchwcDepthwiseTask depthwise(sizes, operands, functions, bfloat16);
  const bool has_bfloat16 = operands.x.bfloat16 != nullptr || operands.y.bfloat16 != nullptr;
  ORTOOL_CHECK(!has_bfloat16 || depthwise.is_three());
  const SpatialPartition cut = depthwise.cut();
  if (!depthwise.is_framed()) {
    cut.run(workers, [&](const PartitionTile& piece) { depthwise.run(piece, nullptr); });
    return;
  }
  const std::int64_t slots = std::min<std::int64_t>(workers.count(), cut.tasks());
  WorkspaceSlots frames(workspace, depthwise.frame_bytes(), static_cast<int>(slots));
  cut.run(workers, [&](const PartitionTile& piece) {
    WorkspaceSlots::Lease lease(frames);
    depthwise.run(piece, reinterpret_cast<float*>(lease.data()));
  });
}

}  // namespace ortool::cpu
