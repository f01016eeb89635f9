// Precision: the type that a session rounds the operands of float32 products to.
#pragma once

#include <cstdint>
#include <string>

namespace ortool {

/// Sums stay float32 in any case.
enum class Precision : std::int32_t {
  float32,
  bfloat16,
  float16,
  automatic,  ///< 16 bits where the processor gains by it, otherwise float32
};

/// The precision of a session's products, and why, for the user.
struct PrecisionChoice {
  Precision precision = Precision::float32;
  std::string reason;  ///< "AMX-BF16", or why it is float32; empty if float32 was asked for
};

}  // namespace ortool
