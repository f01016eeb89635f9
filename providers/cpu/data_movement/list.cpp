// Data movement: the kernels of the family, one line per file.
#include "providers/cpu/kernel_family.hpp"

// clang-format off
#define ORTOOL_KERNEL_FILES(file) \
  file(center_crop_pad_kernels)   \
  file(concat_kernels)            \
  file(depth_to_space_kernels)    \
  file(gather_block_quantized_kernels) \
  file(gather_kernels)            \
  file(generator_kernels)         \
  file(one_hot_kernels)           \
  file(subbyte_movement_kernels)  \
  file(pad_kernels)               \
  file(scatter_kernels)           \
  file(selection_kernels)         \
  file(sequence_move_kernels)     \
  file(strided_copy_kernels)      \
  file(string_movement_kernels)   \
  file(triangle_kernels)          \
  file(view_kernels)
// clang-format on

ORTOOL_KERNEL_FAMILY(data_movement_kernel_files)
