// Resampling, regions and boxes of images: the kernels of the family, one line per file.
#include "providers/cpu/kernel_family.hpp"

// clang-format off
#define ORTOOL_KERNEL_FILES(file)   \
  file(class_detections_kernels)    \
  file(crop_and_resize_kernels)     \
  file(draw_boxes_kernels)          \
  file(gaussian_blur_kernels)       \
  file(grid_sample_kernels)         \
  file(image_decoder_kernels)       \
  file(image_encoder_kernels)       \
  file(nms_rotated_kernels)         \
  file(non_max_suppression_kernels) \
  file(resize_kernels)              \
  file(roi_pool_kernels)
// clang-format on

ORTOOL_KERNEL_FAMILY(image_kernel_files)
