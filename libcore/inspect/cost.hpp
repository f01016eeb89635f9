// What something costs: a number, or a formula over the symbols of the model's shapes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "libcore/graph/dimension.hpp"

namespace ortool {

/// A sum of products: a coefficient for each product of symbols, "" for the plain number.
class Cost {
 public:
  Cost() = default;
  static Cost number(std::int64_t value);
  static Cost symbol(const std::string& name);

  void add(const Cost& other);
  /// The product of two costs.
  Cost times(const Cost& other) const;
  Cost times(const Dimension& dimension, const std::string& unknown_name) const;

  /// The number, when no symbol takes part and it fits 63 bits.
  std::optional<std::int64_t> value() const;
  /// "147456*batch + 1000".
  std::string formula() const;

 private:
  std::map<std::string, double> terms_;  ///< exact up to 2^53
};

}  // namespace ortool
