// Kernel families of the cpu provider: each folder's list.cpp lists its kernel files.
#pragma once

#include <span>

#include "providers/cpu/kernel_list.hpp"

namespace ortool::cpu {

/// The kernel rows of a file, best first for each operator.
using KernelFile = std::span<const KernelRow> (*)();

std::span<const KernelFile> attention_kernel_files();
std::span<const KernelFile> conv_kernel_files();
std::span<const KernelFile> data_movement_kernel_files();
std::span<const KernelFile> elementwise_kernel_files();
std::span<const KernelFile> experimental_kernel_files();
std::span<const KernelFile> experts_kernel_files();
std::span<const KernelFile> gemm_kernel_files();
std::span<const KernelFile> image_kernel_files();
std::span<const KernelFile> ml_kernel_files();
std::span<const KernelFile> normalization_kernel_files();
std::span<const KernelFile> pooling_kernel_files();
std::span<const KernelFile> random_kernel_files();
std::span<const KernelFile> recurrent_kernel_files();
std::span<const KernelFile> reduction_kernel_files();
std::span<const KernelFile> search_kernel_files();
std::span<const KernelFile> sequence_kernel_files();
std::span<const KernelFile> signal_kernel_files();
std::span<const KernelFile> text_kernel_files();
std::span<const KernelFile> training_kernel_files();

}  // namespace ortool::cpu

// Defines the list of a family from ORTOOL_KERNEL_FILES(file), which holds `file(name_kernels)` for
// each of its files.
#define ORTOOL_DECLARE_KERNEL_FILE(name) std::span<const KernelRow> name();
#define ORTOOL_LIST_KERNEL_FILE(name) name,
#define ORTOOL_KERNEL_FAMILY(family)                                                      \
  namespace ortool::cpu {                                                                 \
  ORTOOL_KERNEL_FILES(ORTOOL_DECLARE_KERNEL_FILE)                                         \
  std::span<const KernelFile> family() {                                                  \
    static constexpr KernelFile files[] = {ORTOOL_KERNEL_FILES(ORTOOL_LIST_KERNEL_FILE)}; \
    return files;                                                                         \
  }                                                                                       \
  }
