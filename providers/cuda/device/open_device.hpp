// Opens the GPU of this machine.
#pragma once

#include <cstdint>
#include <memory>

#include "providers/cuda/device/device.hpp"

namespace ortool::cuda {

/// Opens GPU `number` with at most `limit_bytes` of its memory (0: all), and the libraries. Throws
/// ErrorCode::provider_unavailable with what is missing, which version was found and which is
/// wanted.
std::shared_ptr<Device> open_cuda_device(std::int64_t number, std::int64_t limit_bytes);

}  // namespace ortool::cuda
