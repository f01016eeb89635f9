// Device provider interface: one whose kernels take inputs and outputs in memory of its device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "libcore/provider/provider.hpp"

namespace ortool {

/// Memory of a device that keeps a value between runs. The host does not read or write it.
class FeedMemory {
 public:
  virtual ~FeedMemory() = default;
  virtual std::byte* address() const = 0;
  virtual std::int64_t bytes() const = 0;
  /// Copies from its beginning to memory of the host.
  virtual void read(std::byte* to, std::int64_t bytes) const = 0;
  /// Copies memory of the host to its beginning.
  virtual void write(const std::byte* from, std::int64_t bytes) const = 0;
};

class DeviceProvider : public Provider {
 public:
  /// Memory whose address the kernels of this provider tell from the host's, among their inputs
  /// and outputs: what is there is not copied. Throws ErrorCode::memory_limit with the figures.
  virtual std::shared_ptr<const FeedMemory> keep(std::int64_t bytes) const = 0;
};

}  // namespace ortool
