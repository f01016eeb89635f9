// What a place of a graph must look like for a rule: operators over values, numbers and one
// another.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/op_traits.hpp"

namespace ortool {

struct PatternPart;

/// Immutable and cheap to copy. Names of operators stand for ONNX's own and for ortool's of the
/// same name, traits for operators of any domain. A name given to a part binds the value found
/// there; parts of one name must find one value, or constants of equal content.
class Pattern {
 public:
  explicit Pattern(std::shared_ptr<const PatternPart> part) : part_(std::move(part)) {}

  const PatternPart& part() const { return *part_; }

  /// The same, bound to a name.
  Pattern as(std::string name) const;
  /// The same, where the node that makes the value passes the test; for attributes.
  Pattern where_node(std::function<bool(const Node&)> test) const;
  /// The same, where the value passes the test; for types.
  Pattern where_value(std::function<bool(const Value&)> test) const;
  /// The same; others may read the value too, which then is computed for them alone.
  Pattern shared() const;
  /// The output of the node that is meant, instead of the first.
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
    chain,         ///< operands joined by one associative, commutative operator, however bracketed
    alternatives,  ///< the first operand that fits
  };

  Kind kind = Kind::value;
  std::string name;
  std::string op_type;
  std::optional<OpTrait> trait = {};  ///< of an operation: instead of `op_type`
  std::vector<Pattern> operands;
  double number = 0;
  std::int64_t output = 0;
  bool is_optional = false;       ///< the operand may be left out
  bool takes_any_inputs = false;  ///< of an operation: the rule looks at the inputs itself
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
/// A constant of one element that is `value`, as near as its type holds it: 1e-5 of the value for
/// float32 and above, 1e-3 for float16, 1e-2 for bfloat16, exactly for integers.
Pattern number(double value);
/// An output of a node with these inputs. Two operands of a commutative operator may stand the
/// other way round.
Pattern op(std::string op_type, std::vector<Pattern> operands);
/// The same of any operator that has the trait.
Pattern op(OpTrait trait, std::vector<Pattern> operands);
/// An output of a node, whatever its inputs are; the rule looks at them itself.
Pattern any_op(std::string op_type);
Pattern any_op(OpTrait trait);
/// The operands joined by `op_type` in any order and with any brackets. In a chain of Mul a number
/// n also stands for a division by 1/n.
Pattern chain(std::string op_type, std::vector<Pattern> operands);
/// The first that fits.
Pattern any_of(std::vector<Pattern> alternatives);
/// An input that may be left out.
Pattern maybe(Pattern pattern);

// Sums and products of more than two operands become chains.
Pattern operator+(Pattern a, Pattern b);
Pattern operator+(Pattern a, double b);
Pattern operator*(Pattern a, Pattern b);
Pattern operator*(Pattern a, double b);
Pattern operator-(Pattern a, Pattern b);
/// A division, or a product with the reciprocal as Reciprocal or Pow writes it.
Pattern operator/(Pattern a, Pattern b);
/// A division by the number, or a product with its reciprocal.
Pattern operator/(Pattern a, double b);
/// By Sqrt or Pow.
Pattern square_root(Pattern a);
/// By Pow, or as a product with itself. `a` must have a name.
Pattern square(Pattern a);

/// The operators whose nodes can be at the end of a match.
std::vector<std::string> root_operators(const Pattern& pattern);

}  // namespace ortool
