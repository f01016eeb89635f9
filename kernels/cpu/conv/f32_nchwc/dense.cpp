// Dense NCHWc convolution: partitions the output into bands of rows and groups of channels.
#include <algorithm>

#include "kernels/cpu/conv/f32_nchw/algorithms.hpp"
#include "kernels/cpu/conv/f32_nchwc/dense_task.hpp"
#include "kernels/cpu/parallel/workspace_slots.hpp"

namespace ortool::cpu {

std::int64_t nchwc_dense_workspace_bytes(const ConvSizes& sizes, NchwcConvAlgorithm path,
                                         const NchwcFunctions& functions, int threads) {
  if (volume(sizes.out) <= 0) return 0;
  const NchwcDensePlan plan(sizes, path, functions);
  return plan.buffer_bytes * std::min<std::int64_t>(threads, plan.cut(sizes).tasks());
}

void conv_nchwc_dense(const ConvSizes& sizes, NchwcConvAlgorithm path,
                      const NchwcConvOperands& operands, const NchwcFunctions& functions,
                      void* workspace, Workers& workers) {
  const NchwcDensePlan plan(sizes, path, functions);
  const SpatialPartition cut = plan.cut(sizes);
  const std::int64_t slots = std::min<std::int64_t>(workers.count(), cut.tasks());
  WorkspaceSlots buffers(workspace, plan.buffer_bytes, static_cast<int>(slots));
  cut.run(workers, [&](const PartitionTile& piece) {
    WorkspaceSlots::Lease lease(buffers);
    NchwcDenseTask(sizes, plan, operands, functions, piece.image,
                   reinterpret_cast<float*>(lease.data()))
        .run(piece);
  });
}

}  // namespace ortool::cpu
