// Pattern matcher: backtracking over goals, each a part of the pattern and a value to match.
#include "libcore/optimize/rewrite/match.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/optimize/rewrite/mismatch.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

using Kind = PatternPart::Kind;

constexpr std::int64_t max_steps = 5000;
constexpr std::size_t max_operands = 16;

bool has_operator(const Node& node, std::string_view op_type) {
  return node.op_type() == op_type && (node.domain().empty() || node.domain() == own_domain);
}

bool fits(const Node& node, const PatternPart& part) {
  return part.trait ? has_trait(node, *part.trait) : has_operator(node, part.op_type);
}

double tolerance_of(DataType type) {
  if (type == DataType::float16) return 1e-3;
  if (type == DataType::bfloat16) return 1e-2;
  return is_floating_point(type) ? 1e-5 : 0;
}

bool is_near(const Value& value, double number) {
  if (!value.is_constant()) return false;
  const Tensor& tensor = value.constant();
  if (tensor.element_count() != 1 || !is_arithmetic(tensor.type())) return false;
  const double found = element_as_double(tensor, 0);
  return std::abs(found - number) <= tolerance_of(tensor.type()) * std::abs(number);
}

bool have_equal_content(const Value& a, const Value& b) {
  if (!a.is_constant() || !b.is_constant()) return false;
  const Tensor& x = a.constant();
  const Tensor& y = b.constant();
  if (x.type() != y.type() || x.shape() != y.shape() || x.type() == DataType::string) return false;
  return x.bytes() == y.bytes() ||
         std::memcmp(x.bytes(), y.bytes(), static_cast<std::size_t>(x.size_bytes())) == 0;
}

}  // namespace

/// Tries the alternatives at one place; keeps the first that matches.
class Matcher {
 public:
  /// `furthest` may be null.
  Matcher(Match& match, ClosestMismatch* furthest) : match_(match), furthest_(furthest) {}

  bool find(const Pattern& pattern, Node& root) {
    std::vector<std::int64_t> outputs;
    collect_outputs(pattern.part(), outputs);
    for (const std::int64_t output : outputs) {
      Value* value = root.output(output);
      if (value == nullptr) continue;
      match_.result_ = value;
      const Goal goal{&pattern.part(), value, all_operands(pattern.part()), nullptr};
      if (solve(&goal)) return true;
    }
    return false;
  }

 private:
  struct Goal {
    const PatternPart* part;
    Value* value;
    unsigned operands;  ///< of a chain: a bit per operand still to be matched
    const Goal* next;
  };

  /// The state to return to on backtracking.
  struct Mark {
    std::size_t members;
    std::size_t bindings;
  };

  /// Always false.
  bool fail(const Goal& goal, Mismatch why) const {
    if (furthest_ != nullptr) furthest_->note(match_.members(), *goal.part, *goal.value, why);
    return false;
  }

  static unsigned all_operands(const PatternPart& part) {
    return part.kind == Kind::chain ? (1U << part.operands.size()) - 1U : 0U;
  }

  static void collect_outputs(const PatternPart& part, std::vector<std::int64_t>& outputs) {
    if (part.kind == Kind::alternatives) {
      for (const Pattern& each : part.operands) collect_outputs(each.part(), outputs);
    } else if (std::find(outputs.begin(), outputs.end(), part.output) == outputs.end()) {
      outputs.push_back(part.output);
    }
  }

  Mark mark() const { return {match_.members_.size(), match_.bindings_.size()}; }
  bool undo(Mark mark) {
    match_.members_.resize(mark.members);
    match_.bindings_.resize(mark.bindings);
    return false;
  }

  /// False when the name is already bound to another value.
  bool bind(const std::string& name, Value* value) {
    if (name.empty()) return true;
    for (const auto& [known, bound] : match_.bindings_) {
      if (known == name) return bound == value || have_equal_content(*bound, *value);
    }
    match_.bindings_.emplace_back(name, value);
    return true;
  }

  void add_member(Node* node, bool is_shared) {
    if (!match_.holds(node)) match_.members_.push_back({node, is_shared});
  }

  bool solve(const Goal* goal) {
    if (goal == nullptr) return true;
    if (++steps_ > max_steps) return false;
    const PatternPart& part = *goal->part;
    const Mark before = mark();
    if (part.kind == Kind::chain && (goal->operands & (goal->operands - 1U)) == 0U)
      return solve_last(goal);
    const bool is_whole = part.kind != Kind::chain || goal->operands == all_operands(part);
    if (is_whole && part.value_test && part.kind != Kind::constant &&
        !part.value_test(*goal->value))
      return fail(*goal, Mismatch::type);
    if (is_whole && !bind(part.name, goal->value)) {
      fail(*goal, Mismatch::name);
      return undo(before);
    }
    const bool found = [&] {
      switch (part.kind) {
        case Kind::value:
          return solve(goal->next);
        case Kind::constant:
          if (!goal->value->is_constant()) return fail(*goal, Mismatch::kind);
          if (part.value_test && !part.value_test(*goal->value)) return fail(*goal, Mismatch::type);
          return solve(goal->next);
        case Kind::number:
          if (!is_near(*goal->value, part.number)) return fail(*goal, Mismatch::kind);
          return solve(goal->next);
        case Kind::operation:
          return solve_operation(goal);
        case Kind::chain:
          return solve_chain(goal);
        default:
          return solve_alternatives(goal);
      }
    }();
    return found || undo(before);
  }

  /// The last remaining operand of a chain.
  bool solve_last(const Goal* goal) {
    std::size_t index = 0;
    while ((goal->operands >> index & 1U) == 0U) ++index;
    const PatternPart& operand = goal->part->operands[index].part();
    const Goal inner{&operand, goal->value, all_operands(operand), goal->next};
    return solve(&inner);
  }

  bool solve_alternatives(const Goal* goal) {
    const Mark before = mark();
    for (const Pattern& each : goal->part->operands) {
      const Goal inner{&each.part(), goal->value, all_operands(each.part()), goal->next};
      if (solve(&inner)) return true;
      undo(before);
    }
    return false;
  }

  bool solve_operation(const Goal* goal) {
    const PatternPart& part = *goal->part;
    Node* node = goal->value->producer();
    if (node == nullptr || !fits(*node, part) || goal->value->producer_index() != part.output)
      return fail(*goal, Mismatch::kind);
    if (part.node_test && !part.node_test(*node)) return fail(*goal, Mismatch::attributes);
    if (part.takes_any_inputs) {
      add_member(node, part.is_shared);
      return solve(goal->next);
    }
    const auto count = static_cast<std::int64_t>(part.operands.size());
    ORTOOL_CHECK(part.operands.size() <= max_operands);
    for (std::int64_t i = count; i < node->input_count(); ++i) {
      if (node->input(i) != nullptr) return fail(*goal, Mismatch::inputs);
    }
    const Mark before = mark();
    add_member(node, part.is_shared);
    if (solve_inputs(goal, *node, false)) return true;
    undo(before);
    if (count != 2 || !has_trait(*node, OpTrait::commutative)) return false;
    add_member(node, part.is_shared);
    return solve_inputs(goal, *node, true) || undo(before);
  }

  bool solve_inputs(const Goal* goal, const Node& node, bool is_transposed) {
    const std::vector<Pattern>& operands = goal->part->operands;
    std::array<Goal, max_operands> goals;
    const Goal* next = goal->next;
    for (std::size_t i = operands.size(); i-- > 0;) {
      const PatternPart& operand = operands[is_transposed ? operands.size() - 1 - i : i].part();
      Value* input = node.input(static_cast<std::int64_t>(i));
      if (input == nullptr) {
        if (!operand.is_optional) return fail(*goal, Mismatch::inputs);
        continue;
      }
      goals[i] = {&operand, input, all_operands(operand), next};
      next = &goals[i];
    }
    return solve(next);
  }

  /// Distributes the remaining operands over both inputs in every possible way.
  bool solve_chain(const Goal* goal) {
    const PatternPart& part = *goal->part;
    Node* node = goal->value->producer();
    if (node == nullptr || node->input_count() != 2) return fail(*goal, Mismatch::kind);
    if (part.op_type == "Mul" && has_operator(*node, "Div")) return solve_division(goal, *node);
    if (!has_operator(*node, part.op_type)) return fail(*goal, Mismatch::kind);
    const Mark before = mark();
    for (unsigned left = (goal->operands - 1U) & goal->operands; left != 0U;
         left = (left - 1U) & goal->operands) {
      add_member(node, part.is_shared);
      const Goal second{&part, node->input(1), goal->operands & ~left, goal->next};
      const Goal first{&part, node->input(0), left, &second};
      if (solve(&first)) return true;
      undo(before);
    }
    return false;
  }

  /// A division by a number matches as a factor of a product.
  bool solve_division(const Goal* goal, Node& node) {
    const PatternPart& part = *goal->part;
    const Mark before = mark();
    for (std::size_t i = 0; i < part.operands.size(); ++i) {
      const PatternPart& operand = part.operands[i].part();
      const bool is_open = (goal->operands >> i & 1U) != 0U;
      if (!is_open || operand.kind != Kind::number || !is_near(*node.input(1), 1 / operand.number))
        continue;
      add_member(&node, part.is_shared);
      const Goal rest{&part, node.input(0), goal->operands & ~(1U << i), goal->next};
      if (solve(&rest)) return true;
      undo(before);
    }
    return false;
  }

  Match& match_;
  ClosestMismatch* furthest_;
  std::int64_t steps_ = 0;
};

bool Match::holds(const Node* node) const {
  return std::any_of(members_.begin(), members_.end(),
                     [&](const Member& member) { return member.node == node; });
}

Value* Match::find(std::string_view name) const {
  for (const auto& [known, value] : bindings_) {
    if (known == name) return value;
  }
  const std::size_t dot = name.find_last_of('.');
  if (dot == std::string_view::npos || dot + 2 != name.size()) return nullptr;
  const Value* value = find(name.substr(0, dot));
  return value != nullptr && value->producer() != nullptr
             ? value->producer()->output(name.back() - '0')
             : nullptr;
}

Value& Match::operator[](std::string_view name) const {
  Value* value = find(name);
  ORTOOL_CHECK(value != nullptr);
  return *value;
}

Node& Match::node(std::string_view name) const {
  Node* node = (*this)[name].producer();
  ORTOOL_CHECK(node != nullptr);
  return *node;
}

double Match::number(std::string_view name) const {
  return element_as_double((*this)[name].constant(), 0);
}

bool find_match(const Pattern& pattern, Node& root, Match& match) {
  return Matcher(match, nullptr).find(pattern, root);
}

bool find_match(const Pattern& pattern, Node& root, Match& match, PartialMatch& partial) {
  ClosestMismatch furthest;
  if (Matcher(match, &furthest).find(pattern, root)) return true;
  partial = furthest.partial_match();
  return false;
}

}  // namespace ortool
