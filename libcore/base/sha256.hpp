// Incremental SHA-256.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace ortool {

class Sha256 {
 public:
  Sha256();
  void update(std::span<const std::byte> bytes);
  /// The digest as 64 lower-case hexadecimal digits. Ends the computation; call it once.
  std::string finish();

 private:
  struct Free {
    void operator()(void* context) const;
  };
  std::unique_ptr<void, Free> context_;
};

/// Pages of a mapped file are released as soon as they have been hashed.
std::string sha256_of(std::span<const std::byte> bytes);

}  // namespace ortool
