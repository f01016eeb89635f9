// cuda provider: runs whole parts of a graph on an NVIDIA GPU.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "libcore/provider/provider.hpp"
#include "providers/cuda/device/device.hpp"

namespace ortool::cuda {

/// Opens the GPU `number` with at most `limit_bytes` of its memory (0: all). Throws
/// ErrorCode::provider_unavailable with the reason.
using OpenDevice =
    std::function<std::shared_ptr<Device>(std::int64_t number, std::int64_t limit_bytes)>;

/// The provider on the device that `open` opens: open_cuda_device(), or an emulation that tests
/// bring along. `options` are pairs KEY=VALUE, separated by commas:
///
/// - `device`: the number of the GPU, 0 if left out.
/// - `memory-limit`: the most memory of the GPU, such as 2G; none if left out.
/// - `precision`: float32 (if left out), tf32, or float16 or bfloat16, in which float32 values are
///   held then.
///
/// What `tune=on` measures is kept in the folder `cache_dir`, unless that is empty. Libraries are
/// opened at first use. Unavailable, with a reason, without a library, a driver or a
/// GPU that fits. Throws ErrorCode::invalid for other options.
std::shared_ptr<const Provider> make_provider_on(const OpenDevice& open, std::string_view options,
                                                 const std::string& cache_dir = {});

}  // namespace ortool::cuda
