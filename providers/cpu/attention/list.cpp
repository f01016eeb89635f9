// Attention and rotary embedding: the kernels of the family, one line per file.
#include "providers/cpu/kernel_family.hpp"

// clang-format off
#define ORTOOL_KERNEL_FILES(file) \
  file(attention_kernels)                \
  file(contrib_rotary_embedding_kernels) \
  file(group_query_attention_kernels)    \
  file(linear_attention_kernels)         \
  file(multi_head_attention_kernels)     \
  file(rotary_embedding_kernels)
// clang-format on

ORTOOL_KERNEL_FAMILY(attention_kernel_files)
