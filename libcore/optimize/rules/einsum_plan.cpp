// Einsum planning: tries three layouts with both operand orders, and takes the cheapest.
#include "libcore/optimize/rules/einsum_plan.hpp"

#include <algorithm>

namespace ortool {
namespace {

constexpr int transpose_cost = 4;
constexpr int reshape_cost = 1;

bool has(const std::string& letters, char letter) {
  return letters.find(letter) != std::string::npos;
}

/// The letters of `order` for which the test holds.
template <typename Test>
std::string chosen(const std::string& order, Test test) {
  std::string letters;
  std::copy_if(order.begin(), order.end(), std::back_inserter(letters), test);
  return letters;
}

void append_single(AxisGroups& groups, const std::string& letters) {
  for (const char letter : letters) groups.emplace_back(1, letter);
}

/// The axes of a formula by role.
struct Roles {
  std::string batch;    ///< of both operands, kept
  std::string rows;     ///< of the left one only
  std::string columns;  ///< of the right one only
  std::string sums;
};

/// Row, column and summed axes are each merged into one; batch axes stay separate.
EinsumPlan merged_plan(const Roles& roles) {
  EinsumPlan plan;
  for (AxisGroups* groups : {&plan.left, &plan.right, &plan.result})
    append_single(*groups, roles.batch);
  plan.left.insert(plan.left.end(), {roles.rows, roles.sums});
  plan.right.insert(plan.right.end(), {roles.sums, roles.columns});
  plan.result.insert(plan.result.end(), {roles.rows, roles.columns});
  return plan;
}

/// Leading row axes stay separate: the right operand is a single matrix.
EinsumPlan one_matrix_plan(const Roles& roles) {
  EinsumPlan plan;
  append_single(plan.left, roles.rows);
  if (roles.rows.empty()) plan.left.emplace_back();
  plan.result = plan.left;
  plan.left.push_back(roles.sums);
  plan.right = {roles.sums, roles.columns};
  plan.result.push_back(roles.columns);
  return plan;
}

/// Axes before the last two of the result are broadcast where the right operand lacks them.
std::optional<EinsumPlan> broadcast_plan(const Roles& roles, const std::string& out) {
  if (out.size() < 2 || roles.columns != out.substr(out.size() - 1) ||
      !has(roles.rows, out[out.size() - 2]))
    return std::nullopt;
  EinsumPlan plan;
  append_single(plan.result, out);
  append_single(plan.left, out.substr(0, out.size() - 1));
  plan.left.push_back(roles.sums);
  for (const char letter : out.substr(0, out.size() - 2)) {
    const bool is_there = has(roles.batch, letter);
    if (is_there) plan.right.emplace_back(1, letter);
    if (!is_there && !plan.right.empty()) plan.right.emplace_back();
  }
  plan.right.insert(plan.right.end(), {roles.sums, roles.columns});
  return plan;
}

int operand_cost(const AxisGroups& groups, const std::string& letters, bool is_constant) {
  if (is_constant) return 0;
  return (joined(groups) == letters ? 0 : transpose_cost) + (are_single(groups) ? 0 : reshape_cost);
}

}  // namespace

std::string joined(const AxisGroups& groups) {
  std::string letters;
  for (const std::string& group : groups) letters += group;
  return letters;
}

bool are_single(const AxisGroups& groups) {
  return std::all_of(groups.begin(), groups.end(),
                     [](const std::string& group) { return group.size() == 1; });
}

std::optional<EinsumPlan> plan_einsum(const EinsumLetters& letters, bool is_a_constant,
                                      bool is_b_constant) {
  const std::string& a = letters.a;
  const std::string& b = letters.b;
  const std::string& out = letters.out;
  const auto is_lost = [&](char letter) {
    return !has(out, letter) && !(has(a, letter) && has(b, letter));
  };
  const std::string sums = chosen(a, [&](char letter) { return !has(out, letter); });
  if (sums.empty() || std::any_of(a.begin(), a.end(), is_lost) ||
      std::any_of(b.begin(), b.end(), is_lost))
    return std::nullopt;
  std::optional<EinsumPlan> best;
  int min_cost = 0;
  const auto consider = [&](std::optional<EinsumPlan> plan, bool is_swapped) {
    if (!plan) return;
    plan->is_swapped = is_swapped;
    const int cost = operand_cost(is_swapped ? plan->right : plan->left, a, is_a_constant) +
                     operand_cost(is_swapped ? plan->left : plan->right, b, is_b_constant) +
                     operand_cost(plan->result, out, false);
    if (best && cost >= min_cost) return;
    best = std::move(plan);
    min_cost = cost;
  };
  for (const bool is_swapped : {false, true}) {
    const std::string& left = is_swapped ? b : a;
    const std::string& right = is_swapped ? a : b;
    for (const std::string& order : {a, b}) {
      const Roles roles = {
          .batch = chosen(out, [&](char each) { return has(a, each) && has(b, each); }),
          .rows = chosen(out, [&](char each) { return has(left, each) && !has(right, each); }),
          .columns = chosen(out, [&](char each) { return !has(left, each) && has(right, each); }),
          .sums = chosen(order, [&](char each) { return has(sums, each); })};
      consider(broadcast_plan(roles, out), is_swapped);
      if (roles.batch.empty()) consider(one_matrix_plan(roles), is_swapped);
      consider(merged_plan(roles), is_swapped);
    }
  }
  return best;
}

}  // namespace ortool
