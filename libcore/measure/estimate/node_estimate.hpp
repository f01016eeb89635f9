// Node estimate: the time of a node's work on a described device, by a roofline model.
#pragma once

#include <cstdint>
#include <string_view>

#include "libcore/measure/estimate/device.hpp"
#include "libcore/measure/roofline.hpp"

namespace ortool {

/// What a kernel does in one call.
struct KernelWork {
  double macs = 0;       ///< of its products
  double depth = 0;      ///< products added for one element of the result; 0: no product
  double channels = 0;   ///< of the result, for convolutions; 0: other products
  bool is_int8 = false;  ///< of its products
  /// Of a convolution that Winograd's algorithm suits, otherwise 0: the channels read, and the
  /// elements of both images.
  double winograd_channels = 0;
  double winograd_elements = 0;
  double functions = 0;  ///< elements of which a function such as exp is computed
  double moved = 0;      ///< elements that change places one by one
  double steps = 0;      ///< elements that ordinary code visits
  double bytes = 0;      ///< read and written
  double weight_bytes = 0;  ///< of them, constants
  bool is_nested = false;   ///< in a body of If, Loop or Scan
};

struct KernelTime {
  double seconds = 0;
  Bound bound = Bound::unknown;
};

/// Multiply-adds of one core in a cycle at its peak.
double macs_per_cycle(const Device& device, bool is_int8);

/// `resident_bytes`: what the whole model touches in a run, which decides where its constants are
/// found in the next one.
KernelTime estimate_kernel(const KernelWork& work, const Device& device, int threads,
                           double resident_bytes);

/// The time that a run takes outside of kernels.
double estimate_run_overhead(const Device& device);

}  // namespace ortool
