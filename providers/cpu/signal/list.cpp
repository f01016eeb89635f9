// Signal processing: the kernels of the family, one line per file.
#include "providers/cpu/kernel_family.hpp"

// clang-format off
#define ORTOOL_KERNEL_FILES(file) \
  file(audio_decoder_kernels)     \
  file(signal_segments_kernels)   \
  file(spectrum_kernels)          \
  file(windows_kernels)
// clang-format on

ORTOOL_KERNEL_FAMILY(signal_kernel_files)
