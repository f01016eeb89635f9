// Rewrite patterns: expressions of operators, constants and values that a rule looks for.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/node.hpp"
#include "libcore/ops/op_traits.hpp"

namespace ortool {

struct PatternPart;

/// Immutable and cheap to copy. Operator names match ONNX's operators and ortool's of the same
/// name, traits match operators of any domain. A name given to a part binds the value found there;
/// all parts of one name must match the same value, or constants of equal content.
class Pattern {
 public:
  explicit Pattern(std::shared_ptr<const PatternPart> part) : part_(std::move(part)) {}

  const PatternPart& part() const { return *part_; }

  /// The same, bound to a name.
  Pattern as(std::string name) const;
  /// The same if the producer passes the test; for attributes.
  Pattern where_node(std::function<bool(const Node&)> test) const;
  /// The same if the value passes the test; for types.
  Pattern where_value(std::function<bool(const Value&)> test) const;
  /// The same; the value may have other consumers, for which it is still computed.
  Pattern shared() const;
  /// Selects an output of the node other than the first.
  Pattern output(std::int64_t index) const;

 private:
  Pattern changed(const std::function<void(PatternPart&)>& change) const;

  std::shared_ptr<const PatternPart> part_;
};

/// One part of a pattern, as the matcher reads it.
struct PatternPart {
  enum class Kind {
    value,         ///< any value
    constant,      ///< a constant
    number,        ///< a constant of one element near `number`
    operation,     ///< an output of a node
    chain,         ///< operands of one associative, commutative operator, however nested
    alternatives,  ///< the first operand that matches
  };

  Kind kind = Kind::value;
  std::string name;
  std::string op_type;
  std::optional<OpTrait> trait = {};  ///< of an operation: instead of `op_type`
  std::vector<Pattern> operands;
  double number = 0;
  std::int64_t output = 0;
  bool is_optional = false;       ///< the operand may be omitted
  bool takes_any_inputs = false;  ///< of an operation: the rule checks the inputs itself
  bool is_shared = false;
  std::function<bool(const Node&)> node_test;
  std::function<bool(const Value&)> value_test;
};

/// Any value.
Pattern any(std::string name = {});
/// Any constant.
Pattern constant(std::string name = {});
/// Any constant of one element.
Pattern scalar(std::string name = {});
/// A constant of one element equal to `value` within its type's precision: a relative 1e-5 for
/// float32 and wider, 1e-3 for float16, 1e-2 for bfloat16, exactly for integers.
Pattern number(double value);
/// An output of a node with these inputs. The two operands of a commutative operator match in
/// either order.
Pattern op(std::string op_type, std::vector<Pattern> operands);
/// The same for any operator with the trait.
Pattern op(OpTrait trait, std::vector<Pattern> operands);
/// An output of a node with any inputs; the rule checks them itself.
Pattern any_op(std::string op_type);
Pattern any_op(OpTrait trait);
/// The operands joined by `op_type` in any order and nesting. In a chain of Mul a number n also
/// matches a division by 1/n.
Pattern chain(std::string op_type, std::vector<Pattern> operands);
/// The first that matches.
Pattern any_of(std::vector<Pattern> alternatives);
/// An input that may be omitted.
Pattern maybe(Pattern pattern);

// Sums and products of more than two operands become chains.
Pattern operator+(Pattern a, Pattern b);
Pattern operator+(Pattern a, double b);
Pattern operator*(Pattern a, Pattern b);
Pattern operator*(Pattern a, double b);
Pattern operator-(Pattern a, Pattern b);
/// A division, or a product with the reciprocal written as Reciprocal or Pow.
Pattern operator/(Pattern a, Pattern b);
/// A division by the number, or a product with its reciprocal.
Pattern operator/(Pattern a, double b);
/// Written as Sqrt or Pow.
Pattern square_root(Pattern a);
/// Written as Pow, or as a product with itself. `a` must have a name.
Pattern square(Pattern a);

/// The operators that can be the last node of a match.
std::vector<std::string> root_operators(const Pattern& pattern);

}  // namespace ortool
