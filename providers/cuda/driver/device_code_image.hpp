// Device code image: the kernels as nvcc compiled them, embedded in the library.
#pragma once

namespace ortool::cuda {

/// A fatbin of all kernels.
const void* device_code_image();

}  // namespace ortool::cuda
