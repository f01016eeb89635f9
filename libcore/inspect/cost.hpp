// Cost: a number, or a formula over the symbols of the model's shapes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "libcore/graph/dimension.hpp"

namespace ortool {

/// A sum of dimensions and their products that may be much longer than a Dimension allows, for sums
/// over complete models. Never negative.
class Cost {
 public:
  /// Zero.
  Cost() = default;
  /// An unknown dimension counts as the symbol `unknown_name`, which becomes the cause unless the
  /// dimension has one.
  explicit Cost(const Dimension& dimension, const std::string& unknown_name = "?");
  explicit Cost(std::int64_t number) : Cost(Dimension(number)) {}

  void add(const Cost& other);
  /// The product; an unknown factor counts as the symbol `unknown_name`.
  Cost times(const Dimension& factor, const std::string& unknown_name = "?") const;
  /// The larger of both, or "max(a, b)"; the symbol `unknown_name` if that is too long.
  static Cost larger(const Cost& a, const Cost& b, const std::string& unknown_name = "?");

  bool is_zero() const { return number_ == 0 && terms_.empty(); }
  /// The number, if there are no symbols and it fits into 63 bits.
  std::optional<std::int64_t> value() const;
  /// The same as a Dimension; unknown if it would be too long.
  Dimension to_dimension() const;
  /// "147456*batch + 1000"; of very many terms only the first ones, and the number of the others.
  std::string formula() const;

  /// The node, or other origin, whose data determines the cost: the first one found. Empty if the
  /// cost depends only on sizes that the model names.
  const std::string& cause() const { return cause_; }

  /// Compares amounts; ignores causes.
  bool operator==(const Cost& other) const;

 private:
  /// A product of symbols with its coefficient, and as a Dimension for further arithmetic: unknown
  /// if it is too long for one, so that only its text is kept.
  struct Term {
    std::int64_t coefficient = 0;
    Dimension unit;
  };
  static constexpr std::size_t max_terms = 256;
  static constexpr std::size_t max_text_bytes = 65536;

  void add_number(std::int64_t number);
  void add_term(const std::string& text, const Dimension& unit, std::int64_t coefficient);

  std::int64_t number_ = 0;            ///< INT64_MAX: overflow
  std::map<std::string, Term> terms_;  ///< by the text of the product
  std::int64_t left_out_ = 0;          ///< terms beyond the limit
  std::string cause_;
};

}  // namespace ortool
