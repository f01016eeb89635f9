// A dimension that may not be known yet: a number, a symbol, or unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcore/tensor/shape.hpp"

namespace ortool {

/// One dimension of a declared or inferred shape.
class Dimension {
 public:
  /// Unknown.
  Dimension() = default;
  Dimension(std::int64_t number) : number_(number) {}
  static Dimension symbol(std::string name) {
    Dimension dimension;
    dimension.symbol_ = std::move(name);
    return dimension;
  }

  bool is_known() const { return number_ >= 0; }
  bool is_symbol() const { return !symbol_.empty(); }
  bool is_unknown() const { return !is_known() && !is_symbol(); }
  std::int64_t number() const { return number_; }
  const std::string& symbol() const { return symbol_; }

  /// The number, the symbol's name, or "?".
  std::string to_string() const;

  /// Equal numbers or equal symbols; two unknown dimensions are equal as descriptions only.
  bool operator==(const Dimension&) const = default;

 private:
  std::int64_t number_ = -1;
  std::string symbol_;
};

using Dimensions = std::vector<Dimension>;

/// A shape as far as it is known: nothing when not even the rank is.
using PartialShape = std::optional<Dimensions>;

PartialShape to_partial(const Shape& shape);
/// The shape when every dimension is a number.
std::optional<Shape> to_known(const PartialShape& shape);
/// "batch x 3 x ? x 224"; "scalar" for rank 0, "unknown rank" for nothing.
std::string to_string(const PartialShape& shape);

}  // namespace ortool
