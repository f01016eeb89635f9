// The kernels for the GPU: one __global__ function for each row of the kernel table.
#include "providers/cuda/kernels/kernel_table.hpp"

namespace ortool::cuda {

#define ORTOOL_UNPACK(...) __VA_ARGS__
#define ORTOOL_GLOBAL_KERNEL(name, Params, function)                                  \
  extern "C" __global__ void ortool_##name(const __grid_constant__ Params params) { \
    ORTOOL_UNPACK function(Block(), params);                                          \
  }

ORTOOL_CUDA_KERNELS(ORTOOL_GLOBAL_KERNEL)

}  // namespace ortool::cuda
