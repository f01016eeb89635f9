// Cpu provider: claims nodes by the kernel list and fuses the nodes that a kernel absorbs.
#include "providers/cpu/cpu_provider.hpp"

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/base/version.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/provider/node_group.hpp"
#include "libcore/provider/post_op_provider.hpp"
#include "providers/cpu/bf16_kernels.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/level_rows.hpp"

namespace ortool {
namespace {

using cpu::Isa;
using cpu::KernelRow;

/// Kernel rows by operator, so that a node is matched with its operator's rows only.
class RowIndex {
 public:
  /// `rows` begin with `fp16_rows` rows in 16 bits, which nodes that stay in float32 do not take.
  RowIndex(std::span<const KernelRow* const> rows, std::size_t fp16_rows, KeepsFloat keeps_float)
      : fp16_rows_(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(fp16_rows)),
        keeps_float_(std::move(keeps_float)) {
    for (const KernelRow* row : rows) by_operator_[key(row->domain, row->op_type)].push_back(row);
  }

  std::span<const KernelRow* const> rows(const Node& node) const {
    auto found = by_operator_.find(key(node.domain(), node.op_type()));
    // Nodes that a session creates for a model whose opset predates the operator.
    if (found == by_operator_.end() && node.domain() == own_domain)
      found = by_operator_.find(key("", node.op_type()));
    return found == by_operator_.end() ? std::span<const KernelRow* const>() : found->second;
  }

  /// Groups with NCHWc values have rows of their own.
  const KernelRow* best(const NodeView& view) const {
    return find(view, !view.layouts().is_plain());
  }

  /// The row that can compute the group with NCHWc values; null: none.
  const KernelRow* find_blocked(const NodeView& view) const { return find(view, true); }

 private:
  const KernelRow* find(const NodeView& view, bool is_blocked) const {
    const auto any_rows = by_operator_.find(key("", cpu::any_operator));
    const std::span<const KernelRow* const> of_any =
        any_rows == by_operator_.end() ? std::span<const KernelRow* const>() : any_rows->second;
    for (const auto& list : {rows(view.node()), of_any}) {
      for (const KernelRow* row : list) {
        if ((row->layouts != nullptr) != is_blocked || !row->accepts(view)) continue;
        if (!is_kept(view.node(), row)) return row;
      }
    }
    return nullptr;
  }

  bool is_kept(const Node& node, const KernelRow* row) const {
    return keeps_float_ != nullptr && fp16_rows_.contains(row) && keeps_float_(node);
  }

  static std::string key(std::string_view domain, std::string_view op_type) {
    return std::string(domain).append(1, ':').append(op_type);
  }

  std::unordered_map<std::string, std::vector<const KernelRow*>> by_operator_;
  std::unordered_set<const KernelRow*> fp16_rows_;
  KeepsFloat keeps_float_;
};

std::vector<const KernelRow*> fp16_rows_of(Isa most, Precision operands) {
  std::vector<const KernelRow*> result;
  if (operands != Precision::bfloat16) return result;
  for (const std::span<const KernelRow> rows : cpu::bf16_kernel_list()) {
    for (const KernelRow& row : rows) {
      if (cpu::has_bf16_row(row, most)) result.push_back(&row);
    }
  }
  return result;
}

/// The rows that a provider uses, those preferred first; `result` holds those in 16 bits.
std::vector<const KernelRow*> rows_of(Isa most, std::vector<const KernelRow*> result) {
  const std::vector<const KernelRow*> rows = cpu::level_rows(most);
  result.insert(result.end(), rows.begin(), rows.end());
  return result;
}

class CpuProvider : public PostOpProvider {
 public:
  CpuProvider(Isa most, const std::vector<const KernelRow*>& fp16_rows, KeepsFloat keeps_float)
      : rows_(rows_of(most, fp16_rows)), index_(rows_, fp16_rows.size(), std::move(keeps_float)) {}

  std::string_view name() const override { return "cpu"; }
  std::string version() const override { return std::string(ortool::version()); }

  Claims claims(const Graph& graph) const override {
    Claims result;
    std::unordered_set<const Node*> absorbed;
    for (const Node& node : graph.nodes()) {
      if (absorbed.contains(&node)) continue;
      const KernelRow* row = index_.best(NodeView(node));
      if (row == nullptr) {
        result.refused.push_back({&node, refusal(node)});
        continue;
      }
      const auto absorbs = [row](const NodeView& group, const Node& next) {
        return row->absorbs != nullptr && row->absorbs(group, next);
      };
      result.taken.push_back({gather_group(node, absorbed, absorbs)});
    }
    return result;
  }

  std::vector<LayoutChoice> layouts(const NodeView& group) const override {
    const KernelRow* row = index_.find_blocked(NodeView(group.node()));
    return row != nullptr ? row->layouts(group, *row) : std::vector<LayoutChoice>();
  }

  bool appends(const NodeView& group, const NodeView& next) const override {
    const KernelRow* row = row_of(group);
    return row != nullptr && row->appends != nullptr && row == row_of(next) &&
           row->appends(group, next, *row);
  }

  KernelPtr compile(const NodeView& view, const CompileContext& context) const override {
    const KernelRow* row = row_of(view);
    if (row == nullptr) throw Error(ErrorCode::unsupported, refusal(view.node()));
    return row->compile(view, *row, context);
  }

  std::vector<KernelDescription> kernels() const override {
    std::vector<KernelDescription> result;
    for (const KernelRow* row : rows_) {
      result.push_back({row->name, row->domain, row->op_type, cpu::isa_name(row->isa), row->types});
    }
    return result;
  }

 private:
  /// The row that computes the group in its layouts.
  const KernelRow* row_of(const NodeView& group) const {
    NodeView first(group.node(), group.constants());
    first.set_layouts(group.layouts());
    return index_.best(first);
  }

  std::string refusal(const Node& node) const {
    const auto rows = index_.rows(node);
    if (rows.empty())
      return format("the cpu provider has no kernel for operator {}", node.op_type());
    for (const Attribute& attribute : node.attributes()) {
      if (std::holds_alternative<std::unique_ptr<Graph>>(attribute.value))
        return format("the cpu provider has no kernel for {} with a graph in attribute '{}'",
                      node.op_type(), attribute.name);
    }
    std::string given;
    for (std::int64_t i = 0; i < node.input_count(); ++i) {
      given += (i == 0 ? "" : ", ");
      given += node.input(i) != nullptr ? node.input(i)->type().to_string() : "none";
    }
    std::string known;
    for (const KernelRow* row : rows) {
      if (known.find(row->types) == std::string::npos)
        known += (known.empty() ? "" : "; ") + std::string(row->types);
    }
    return format("the cpu provider has no kernel for {} of ({}); it has: {}", node.op_type(),
                  given, known);
  }

  std::vector<const KernelRow*> rows_;
  RowIndex index_;
};

}  // namespace

std::shared_ptr<const Provider> make_cpu_provider(cpu::Isa most) {
  return make_cpu_provider(most, Precision::float32);
}

std::shared_ptr<const Provider> make_cpu_provider(cpu::Isa most, Precision operands,
                                                  KeepsFloat keeps_float) {
  return std::make_shared<CpuProvider>(most, fp16_rows_of(most, operands), std::move(keeps_float));
}

}  // namespace ortool
