// Emulated kernels: the device code, compiled for the host.
#include <cstring>

#include "libcore/base/error.hpp"
#include "providers/cuda/kernels/kernel_table.hpp"
#include "tests/cuda_emulation/emulated_device.hpp"

namespace ortool::test {
namespace {

template <typename Params>
using KernelFunction = void (*)(const cuda::Block&, const Params&);

template <typename Params>
void run_blocks(KernelFunction<Params> function, std::int64_t blocks, int threads,
                const void* params, std::size_t bytes, bool runs_backward) {
  ORTOOL_CHECK(bytes == sizeof(Params));
  Params own;
  std::memcpy(&own, params, sizeof(Params));
  for (std::int64_t place = 0; place < blocks; ++place) {
    const std::int64_t index = runs_backward ? blocks - 1 - place : place;
    function(cuda::Block{index, blocks, threads, runs_backward}, own);
  }
}

}  // namespace

void run_emulated_kernel(cuda::KernelId kernel, std::int64_t blocks, int threads,
                         const void* params, std::size_t bytes, bool runs_backward) {
  using namespace cuda;  // NOLINT: rows of the table name functions of this namespace
#define ORTOOL_UNPACK(...) __VA_ARGS__
#define ORTOOL_EMULATED_KERNEL(name, Params, function)                                         \
  case KernelId::name:                                                                         \
    run_blocks<Params>(ORTOOL_UNPACK function, blocks, threads, params, bytes, runs_backward); \
    return;
  switch (kernel) {
    ORTOOL_CUDA_KERNELS(ORTOOL_EMULATED_KERNEL)
    case KernelId::count:
      break;
  }
  ORTOOL_CHECK(false);
}

}  // namespace ortool::test
