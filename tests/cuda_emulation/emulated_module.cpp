// The cuda module with an emulated device in place of the driver, which tests alone find, by the
// search path. With ORTOOL_EMULATION_COUNTS set, it prints to stderr at the end what the device was
// asked to do.
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "providers/cuda/device/open_device.hpp"
#include "tests/cuda_emulation/emulated_device.hpp"

namespace {

using namespace ortool;

/// The device that was opened last.
class LastDevice {
 public:
  ~LastDevice() {
    if (device_ == nullptr || std::getenv("ORTOOL_EMULATION_COUNTS") == nullptr) return;
    const test::EmulationCounts& counts = device_->counts();
    std::fprintf(
        stderr,
        "emulated: %lld kernels, %lld products (%lld of float8), %lld convolutions, %lld copies, "
        "%lld uploads "
        "(%lld bytes), %lld downloads (%lld bytes), %lld captures, %lld replays\n",
        static_cast<long long>(counts.launches), static_cast<long long>(counts.products),
        static_cast<long long>(counts.float8_products), static_cast<long long>(counts.convolutions),
        static_cast<long long>(counts.copies), static_cast<long long>(counts.uploads),
        static_cast<long long>(counts.uploaded_bytes), static_cast<long long>(counts.downloads),
        static_cast<long long>(counts.downloaded_bytes), static_cast<long long>(counts.captures),
        static_cast<long long>(counts.replays));
  }
  void set(std::shared_ptr<test::EmulatedDevice> device) { device_ = std::move(device); }

 private:
  std::shared_ptr<test::EmulatedDevice> device_;
};

}  // namespace

namespace ortool::cuda {

std::shared_ptr<Device> open_cuda_device(std::int64_t, std::int64_t limit_bytes) {
  static LastDevice last;
  auto device =
      std::make_shared<test::EmulatedDevice>(test::EmulationOptions{.limit_bytes = limit_bytes});
  last.set(device);
  return device;
}

}  // namespace ortool::cuda
