// The device of builds without nvcc: there is none, with the reason.
#include "libcore/base/error.hpp"
#include "providers/cuda/device/open_device.hpp"

namespace ortool::cuda {

std::shared_ptr<Device> open_cuda_device(std::int64_t, std::int64_t) {
  throw Error(ErrorCode::provider_unavailable,
              "this build does not include the kernels for GPUs, since nvcc and the headers of "
              "cuBLASLt and cuDNN 9 were not found");
}

}  // namespace ortool::cuda
