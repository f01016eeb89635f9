// Which fields a protobuf message had: presence of optional fields, kept from reading to writing.
#pragma once

#include <cstdint>

#include "libcore/graph/notes.hpp"

namespace ortool::onnx {

/// A bit a field number: what tells a field that was left out from one that was there and empty.
/// The graph keeps it as a SourceFormat. No bits for what came from no file.
class FieldPresence {
 public:
  static constexpr unsigned came_from_file = 31;
  /// The default domain was written as "ai.onnx".
  static constexpr unsigned explicit_domain = 30;

  FieldPresence() = default;
  FieldPresence(SourceFormat spelling)  // NOLINT(google-explicit-constructor): it is its code
      : bits_(static_cast<std::uint32_t>(spelling)) {}
  operator SourceFormat() const {  // NOLINT(google-explicit-constructor)
    return static_cast<SourceFormat>(bits_);
  }

  bool has(unsigned bit) const { return (bits_ >> bit & 1U) != 0; }
  void set(unsigned bit) { bits_ |= std::uint32_t{1} << bit; }

 private:
  std::uint32_t bits_ = 0;
};

}  // namespace ortool::onnx
