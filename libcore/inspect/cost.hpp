// What something costs: a number, or a formula over the symbols of the model's shapes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "libcore/graph/dimension.hpp"

namespace ortool {

/// A sum of dimensions and products of them that may grow far longer than a Dimension does: sums
/// over whole models. Never negative.
class Cost {
 public:
  /// Zero.
  Cost() = default;
  /// A dimension that is unknown counts as the symbol `unknown_name`, and is what the cost depends
  /// on unless it says a cause.
  explicit Cost(const Dimension& dimension, const std::string& unknown_name = "?");
  explicit Cost(std::int64_t number) : Cost(Dimension(number)) {}

  void add(const Cost& other);
  /// The product; a factor that is unknown counts as the symbol `unknown_name`.
  Cost times(const Dimension& factor, const std::string& unknown_name = "?") const;
  /// The larger of the two, or "max(a, b)"; the symbol `unknown_name` where that is too long.
  static Cost larger(const Cost& a, const Cost& b, const std::string& unknown_name = "?");

  bool is_zero() const { return number_ == 0 && terms_.empty(); }
  /// The number, when no symbol takes part and it fits 63 bits.
  std::optional<std::int64_t> value() const;
  /// The same as one dimension; unknown when it would grow too long for one.
  Dimension to_dimension() const;
  /// "147456*batch + 1000"; of very many terms the first, and how many more there are.
  std::string formula() const;

  /// The node, or what else, whose data decides the cost: the first found. Empty when only sizes
  /// that the model names take part.
  const std::string& cause() const { return cause_; }

  /// Of the amounts; causes do not count.
  bool operator==(const Cost& other) const;

 private:
  /// A product of symbols, how often it is counted, and itself for further arithmetic: unknown
  /// where it is too long for one dimension and only its text is kept.
  struct Term {
    std::int64_t coefficient = 0;
    Dimension unit;
  };
  static constexpr std::size_t most_terms = 256;
  static constexpr std::size_t most_text_bytes = 65536;

  void add_number(std::int64_t number);
  void add_term(const std::string& text, const Dimension& unit, std::int64_t coefficient);

  std::int64_t number_ = 0;            ///< INT64_MAX: too large
  std::map<std::string, Term> terms_;  ///< by the text of the product
  std::int64_t left_out_ = 0;          ///< terms beyond the most
  std::string cause_;
};

}  // namespace ortool
