// The table of contents of the cpu provider: a line for each file of kernels.
#include "providers/cpu/kernel_list.hpp"

#include "providers/cpu/kernel_files.hpp"

namespace ortool::cpu {

std::span<const std::span<const KernelRow>> kernel_list() {
  static const std::vector<std::span<const KernelRow>> list = {
      activation_kernels(),
      clip_kernels(),
      prelu_kernels(),
      softmax_kernels(),
  };
  return list;
}

}  // namespace ortool::cpu
