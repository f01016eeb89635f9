// Kernel names, from the list of kernels.
#include "providers/cuda/kernels/kernel_names.hpp"

#include <array>

namespace ortool::cuda {
namespace {

constexpr std::array<const char*, static_cast<std::size_t>(KernelId::count)> names = {
#define ORTOOL_KERNEL_NAME(name) #name,
    ORTOOL_CUDA_KERNEL_NAMES(ORTOOL_KERNEL_NAME)
#undef ORTOOL_KERNEL_NAME
};

}  // namespace

const char* kernel_name(KernelId kernel) {
  return names.at(static_cast<std::size_t>(kernel));
}

}  // namespace ortool::cuda
