// The table of contents of the cpu provider: a line for each file of kernels.
#include "providers/cpu/kernel_list.hpp"

#include <iterator>

namespace ortool::cpu {

std::span<const std::span<const KernelRow>> kernel_list() {
  static const std::vector<std::span<const KernelRow>> list = {};
  return list;
}

}  // namespace ortool::cpu
