// SHA-256 of bytes that come in pieces.
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
  /// 64 hexadecimal digits in lower case. Ends the computation: call once.
  std::string finish();

 private:
  struct Free {
    void operator()(void* context) const;
  };
  std::unique_ptr<void, Free> context_;
};

/// Bytes of a mapped file leave memory again once they are counted.
std::string sha256_of(std::span<const std::byte> bytes);

}  // namespace ortool
