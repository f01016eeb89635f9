// Lists of custom operators: each operator is gathered with its versions, checked, and registered.
#include "providers/cpu/custom/operator_list.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/tensor/data_type.hpp"
#include "providers/cpu/custom/custom_op.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int32_t max_operands = 1 << 20;
constexpr std::size_t max_alignment = 64;
/// The struct of the first header ended here.
constexpr std::size_t least_size = offsetof(ortool_operator, context);

using Version = std::shared_ptr<CustomVersion>;
using Versions = std::vector<Version>;

bool is_text(const char* text) {
  return text != nullptr && *text != '\0';
}

bool is_range(std::int32_t least, std::int32_t most) {
  return least >= 0 && least <= max_operands && most <= max_operands && (most < 0 || most >= least);
}

/// What is wrong with an operator; empty: nothing.
std::string problem_of(const ortool_operator& op) {
  if (!is_text(op.name)) return "an operator has no name";
  const std::string name = op.name;
  if (!is_text(op.domain) || std::string_view(op.domain) == "ai.onnx")
    return format("operator {} has no domain of its own", name);
  if (op.infer == nullptr) return format("operator {} has no infer()", name);
  if (op.run == nullptr) return format("operator {} has no run()", name);
  if (op.since_version < 1) return format("operator {} has version {}", name, op.since_version);
  if (!is_range(op.min_inputs, op.max_inputs) || !is_range(op.min_outputs, op.max_outputs) ||
      op.max_outputs == 0)
    return format("operator {} has a wrong number of inputs or outputs", name);
  if (op.alignment > max_alignment || (op.alignment & (op.alignment - 1)) != 0)
    return format("operator {} wants an alignment of {} bytes", name, op.alignment);
  for (const std::int32_t* type = op.types; type != nullptr && *type != 0; ++type) {
    if (!is_known(*type)) return format("operator {} takes the element type {}", name, *type);
  }
  return {};
}

/// Copies of all structs, whose contexts are released if one is refused.
Versions copy_all(const ortool_operators& operators, const std::string& origin) {
  Versions all;
  std::string problem;
  for (std::uint32_t i = 0; i < operators.count; ++i) {
    const ortool_operator* op = operators.operators[i];
    if (op == nullptr) {
      problem = "an operator is NULL";
    } else if (op->size < least_size) {
      problem = "an operator has no size";
    } else {
      all.push_back(std::make_shared<CustomVersion>(*op, origin));
    }
  }
  for (std::size_t i = 0; problem.empty() && i < all.size(); ++i)
    problem = problem_of(all[i]->op());
  if (!problem.empty()) throw operator_refusal(problem, "correct the struct ortool_operator");
  return all;
}

bool is_same(const ortool_operator& a, const ortool_operator& b) {
  return std::string_view(a.name) == b.name && std::string_view(a.domain) == b.domain;
}

/// The operators, each with its versions.
std::vector<Versions> gather(Versions all) {
  std::vector<Versions> ops;
  for (Version& version : all) {
    const ortool_operator& op = version->op();
    auto found = std::find_if(ops.begin(), ops.end(), [&](const Versions& other) {
      return is_same(other.front()->op(), op);
    });
    if (found == ops.end()) {
      if (is_taken(op.domain, op.name)) {
        throw operator_refusal(
            format("operator {}.{} is in the catalog already", op.domain, op.name),
            "give it another name or domain, or load only one library that defines it");
      }
      found = ops.insert(ops.end(), Versions());
    }
    for (const Version& other : *found) {
      if (other->op().since_version == op.since_version) {
        throw operator_refusal(
            format("operator {}.{} has version {} twice", op.domain, op.name, op.since_version),
            "give each version one struct");
      }
    }
    found->push_back(std::move(version));
  }
  return ops;
}

}  // namespace

Error operator_refusal(std::string message, std::string hint) {
  return Error(ErrorCode::invalid, std::move(message), std::move(hint))
      .with_id("custom_op.library");
}

void register_operator_list(const ortool_operators& operators, const OperatorOrigin& origin) {
  for (Versions& versions : gather(copy_all(operators, origin.text))) {
    std::string kernel_name = origin.kernel_name + ":" + versions.front()->op().name;
    register_custom_op(std::move(versions), std::move(kernel_name), origin.is_removable);
  }
}

}  // namespace ortool::cpu
