// Emulated device: runs the cuda provider's commands on the host, for tests alone.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "providers/cuda/device/device.hpp"

namespace ortool::test {

/// What an emulated device was asked to do since it was created.
struct EmulationCounts {
  std::atomic<std::int64_t> launches{0};
  std::atomic<std::int64_t> products{0};
  std::atomic<std::int64_t> float8_products{0};  ///< among them
  std::atomic<std::int64_t> convolutions{0};
  std::atomic<std::int64_t> copies{0};
  std::atomic<std::int64_t> uploads{0};
  std::atomic<std::int64_t> downloads{0};
  std::atomic<std::int64_t> uploaded_bytes{0};
  std::atomic<std::int64_t> downloaded_bytes{0};
  std::atomic<std::int64_t> captures{0};
  std::atomic<std::int64_t> replays{0};
  std::atomic<std::int64_t> clock_reads{0};
};

struct EmulationOptions {
  std::int64_t limit_bytes = 0;
  bool runs_backward = false;        ///< blocks, and threads between barriers, run last to first
  bool has_byte_products = true;     ///< the library multiplies int8
  bool has_float8_products = true;   ///< the library multiplies float8
  bool has_float8_epilogues = true;  ///< and adds to such products
  int compute_capability = 90;
  std::int64_t failing_launch = -1;  ///< the number of a launch that fails, as on a broken device
};

/// Memory is the host's, each allocation between guards that are checked when a stream is done.
/// Kernels run block by block, threads as loops between barriers; products and convolutions are
/// loops.
class EmulatedDevice : public cuda::Device {
 public:
  explicit EmulatedDevice(EmulationOptions options = {}) : options_(options) {}
  ~EmulatedDevice() override;

  std::string description() const override { return "an emulated device"; }
  int compute_capability() const override { return options_.compute_capability; }
  void* allocate(std::int64_t bytes, std::string_view purpose) override;
  void release(void* memory) noexcept override;
  void* allocate_staging(std::int64_t bytes) override;
  void release_staging(void* memory) noexcept override;
  cuda::DeviceMemory memory() const override;
  /// Made up, and always the same.
  std::optional<DeviceClocks> clocks() override;
  void write(void* to, const void* from, std::int64_t bytes) override;
  void read(void* to, const void* from, std::int64_t bytes) override;
  bool owns(const void* address) const override;
  std::unique_ptr<cuda::DeviceStream> make_stream() override;
  cuda::PrimitivePtr make_product(const cuda::ProductDesc& desc) override;
  cuda::PrimitivePtr make_conv(const cuda::ConvDesc& desc) override;
  bool checks_bounds() const override { return true; }
  void keep_timings(const std::string& folder) override { timings_folder_ = folder; }
  /// Of the last keep_timings().
  const std::string& timings_folder() const { return timings_folder_; }

  const EmulationOptions& options() const { return options_; }
  EmulationCounts& counts() { return counts_; }
  /// The allocations that are not released.
  std::int64_t live_allocations() const;
  /// Throws if a guard was overwritten.
  void check_guards() const;

 private:
  EmulationOptions options_;
  EmulationCounts counts_;
  std::string timings_folder_;
  mutable std::mutex mutex_;
  std::map<void*, std::int64_t> sizes_;
  cuda::DeviceMemory memory_;
};

/// Runs all blocks of a kernel.
void run_emulated_kernel(cuda::KernelId kernel, std::int64_t blocks, int threads,
                         const void* params, std::size_t bytes, bool runs_backward);

}  // namespace ortool::test
