// Device provider interface: one whose kernels take inputs and outputs in memory of its device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

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
  /// Why it does not multiply the float8 codes of a MatMul or Gemm, both operands of which a
  /// DequantizeLinear makes, in words for the user; empty: it does. Then a session keeps the codes
  /// of constants, and those nodes before it, which it folds into floats otherwise.
  virtual std::string refuses_float8(const Node& product) const {
    static_cast<void>(product);
    return "the provider has no products of float8";
  }
};

}  // namespace ortool
