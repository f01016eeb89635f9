// What nodes cost: multiplications with additions, as a number or a formula over symbols.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "libcore/graph/graph.hpp"

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

/// Of convolutions and matrix products, counted from inferred shapes; 0 for other operators. A node
/// whose cost cannot be told (an operator the catalog lacks, a subgraph with costs of its own) is
/// the symbol "macs(NODE)".
Cost count_macs(const Node& node);

/// Elements of the constants that the node reads.
std::int64_t count_parameters(const Node& node);

}  // namespace ortool
