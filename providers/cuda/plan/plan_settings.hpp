// Plan settings: options of the provider that determine the commands of a plan.
#pragma once

namespace ortool::cuda {

/// How numbers of float32 are stored and multiplied on the device.
enum class DevicePrecision { float32, tf32, float16, bfloat16 };

/// An option whose default depends on the element type.
enum class Choice { automatic, on, off };

struct PlanSettings {
  DevicePrecision precision = DevicePrecision::float32;
  /// Images with channels behind pixels; automatic: those of 16 bits.
  Choice channels_last = Choice::off;
  bool has_pointwise_products = true;  ///< convolutions of 1 x 1 on such images are products
  bool has_depthwise_kernel = true;    ///< such images with a filter a channel have an own kernel
  bool has_tensor_attention = false;   ///< attention in float16 uses tensor cores
  bool merges_products = true;         ///< products of one input with several constants are one
  bool has_vectors = true;             ///< kernels load several elements at once
  bool has_recurrent_kernel = true;    ///< small recurrent layers run in one kernel
  bool tunes = false;                  ///< convolutions are measured when shapes are new
};

}  // namespace ortool::cuda
