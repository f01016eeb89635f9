// Rewrite patterns as trees of shared parts; arithmetic generates the variants exporters write.
#include "libcore/optimize/rewrite/pattern.hpp"

#include <algorithm>
#include <utility>

#include "libcore/base/error.hpp"
#include "libcore/ops/catalog.hpp"

namespace ortool {
namespace {

using Kind = PatternPart::Kind;

Pattern make_pattern(PatternPart part) {
  return Pattern(std::make_shared<const PatternPart>(std::move(part)));
}

/// a and b joined; unnamed chains of the same operator are merged.
Pattern join(const char* op_type, const Pattern& a, const Pattern& b) {
  std::vector<Pattern> operands;
  for (const Pattern& each : {a, b}) {
    const PatternPart& part = each.part();
    const bool is_open = part.kind == Kind::chain && part.op_type == op_type && part.name.empty();
    if (is_open) {
      operands.insert(operands.end(), part.operands.begin(), part.operands.end());
    } else {
      operands.push_back(each);
    }
  }
  return chain(op_type, std::move(operands));
}

void collect_roots(const Pattern& pattern, std::vector<std::string>& roots) {
  const PatternPart& part = pattern.part();
  const auto add = [&](const std::string& op_type) {
    if (std::find(roots.begin(), roots.end(), op_type) == roots.end()) roots.push_back(op_type);
  };
  if (part.kind == Kind::alternatives) {
    for (const Pattern& each : part.operands) collect_roots(each, roots);
  } else if (part.kind == Kind::operation && part.trait) {
    for (const OpEntry& entry : catalog()) {
      if (entry.traits.has(*part.trait)) add(entry.schema->name);
    }
  } else if (part.kind == Kind::operation) {
    add(part.op_type);
  } else if (part.kind == Kind::chain) {
    add(part.op_type);
    const bool has_number = std::any_of(part.operands.begin(), part.operands.end(), [](auto& each) {
      return each.part().kind == Kind::number;
    });
    if (part.op_type == "Mul" && has_number) add("Div");
  }
}

}  // namespace

Pattern Pattern::changed(const std::function<void(PatternPart&)>& change) const {
  PatternPart part = *part_;
  change(part);
  return make_pattern(std::move(part));
}

Pattern Pattern::as(std::string name) const {
  return changed([&](PatternPart& part) { part.name = std::move(name); });
}

Pattern Pattern::where_node(std::function<bool(const Node&)> test) const {
  return changed([&](PatternPart& part) { part.node_test = std::move(test); });
}

Pattern Pattern::where_value(std::function<bool(const Value&)> test) const {
  return changed([&](PatternPart& part) { part.value_test = std::move(test); });
}

Pattern Pattern::shared() const {
  return changed([](PatternPart& part) { part.is_shared = true; });
}

Pattern Pattern::output(std::int64_t index) const {
  return changed([&](PatternPart& part) { part.output = index; });
}

Pattern any(std::string name) {
  PatternPart part;
  part.name = std::move(name);
  return make_pattern(std::move(part));
}

Pattern constant(std::string name) {
  PatternPart part;
  part.kind = Kind::constant;
  part.name = std::move(name);
  return make_pattern(std::move(part));
}

Pattern scalar(std::string name) {
  return constant(std::move(name)).where_value([](const Value& value) {
    return value.constant().element_count() == 1;
  });
}

Pattern number(double value) {
  PatternPart part;
  part.kind = Kind::number;
  part.number = value;
  return make_pattern(std::move(part));
}

Pattern op(std::string op_type, std::vector<Pattern> operands) {
  PatternPart part;
  part.kind = Kind::operation;
  part.op_type = std::move(op_type);
  part.operands = std::move(operands);
  return make_pattern(std::move(part));
}

Pattern op(OpTrait trait, std::vector<Pattern> operands) {
  PatternPart part;
  part.kind = Kind::operation;
  part.trait = trait;
  part.operands = std::move(operands);
  return make_pattern(std::move(part));
}

Pattern any_op(OpTrait trait) {
  PatternPart part;
  part.kind = Kind::operation;
  part.trait = trait;
  part.takes_any_inputs = true;
  return make_pattern(std::move(part));
}

Pattern any_op(std::string op_type) {
  PatternPart part;
  part.kind = Kind::operation;
  part.op_type = std::move(op_type);
  part.takes_any_inputs = true;
  return make_pattern(std::move(part));
}

Pattern chain(std::string op_type, std::vector<Pattern> operands) {
  ORTOOL_CHECK(operands.size() >= 2 && operands.size() <= 8);
  PatternPart part;
  part.kind = Kind::chain;
  part.op_type = std::move(op_type);
  part.operands = std::move(operands);
  return make_pattern(std::move(part));
}

Pattern any_of(std::vector<Pattern> alternatives) {
  PatternPart part;
  part.kind = Kind::alternatives;
  part.operands = std::move(alternatives);
  return make_pattern(std::move(part));
}

Pattern maybe(Pattern pattern) {
  PatternPart part = pattern.part();
  part.is_optional = true;
  return make_pattern(std::move(part));
}

Pattern operator+(Pattern a, Pattern b) {
  return join("Add", a, b);
}

Pattern operator+(Pattern a, double b) {
  return join("Add", a, number(b));
}

Pattern operator*(Pattern a, Pattern b) {
  return join("Mul", a, b);
}

Pattern operator*(Pattern a, double b) {
  return join("Mul", a, number(b));
}

Pattern operator-(Pattern a, Pattern b) {
  return op("Sub", {std::move(a), std::move(b)});
}

Pattern operator/(Pattern a, Pattern b) {
  std::vector<Pattern> alternatives = {op("Div", {a, b}), op("Mul", {a, op("Reciprocal", {b})}),
                                       op("Mul", {a, op("Pow", {b, number(-1)})}),
                                       op("Mul", {a, op("Div", {number(1), b})})};
  // For a root, the exponent is combined with that of the root.
  const PatternPart& part = b.part();
  if (part.kind == Kind::alternatives && !part.operands.empty()) {
    const PatternPart& first = part.operands.front().part();
    if (first.kind == Kind::operation && first.op_type == "Sqrt")
      alternatives.push_back(op("Mul", {a, op("Pow", {first.operands.front(), number(-0.5)})}));
  }
  return any_of(std::move(alternatives));
}

Pattern operator/(Pattern a, double b) {
  return any_of({op("Div", {a, number(b)}), op("Mul", {a, number(1 / b)})});
}

Pattern square_root(Pattern a) {
  return any_of({op("Sqrt", {a}), op("Pow", {a, number(0.5)})});
}

Pattern square(Pattern a) {
  ORTOOL_CHECK(!a.part().name.empty());
  return any_of({op("Pow", {a, number(2)}), op("Mul", {a, a})});
}

std::vector<std::string> root_operators(const Pattern& pattern) {
  std::vector<std::string> roots;
  collect_roots(pattern, roots);
  return roots;
}

}  // namespace ortool
