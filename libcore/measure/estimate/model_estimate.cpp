// Model estimate: work comes from the session's graph and the values of a run, time from a roofline.
#include "libcore/measure/estimate/model_estimate.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/attribute_access.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/inspect/count_macs.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/own_domain.hpp"

namespace ortool {
namespace {

struct ValueSize {
  double elements = 0;
  double bytes = 0;
};

ValueSize size_of(DataType type, std::int64_t elements) {
  const double bytes =
      type == DataType::string ? 0 : static_cast<double>(bytes_of(type, elements));
  return {static_cast<double>(elements), bytes};
}

ValueSize size_of(const RunValue& value) {
  if (!value.is_tensor()) return {};
  return size_of(value.tensor().type(), value.tensor().element_count());
}

/// The size that the graph declares, if it is a number.
ValueSize declared_size(const Value& value) {
  const std::optional<Shape> shape = to_known(value.type().shape);
  if (!value.type().is_tensor() || !shape) return {};
  return size_of(value.type().element, shape->element_count());
}

/// The sizes of values when they were last computed.
class SizeObserver : public ValueObserver {
 public:
  void observe(const Node& node, std::int64_t index, const RunValue& value) override {
    if (const Value* output = node.output(index); output != nullptr) sizes_[output] = size_of(value);
  }

  ValueSize size(const Value& value) const {
    const Value* origin = &value;
    while (origin->captured() != nullptr) origin = origin->captured();
    const auto found = sizes_.find(origin);
    return found != sizes_.end() ? found->second : declared_size(*origin);
  }

 private:
  std::map<const Value*, ValueSize> sizes_;
};

bool is_constant(const Value& value) {
  const Value* origin = &value;
  while (origin->captured() != nullptr) origin = origin->captured();
  return origin->is_constant();
}

bool is_int8(DataType type) {
  return type == DataType::int8 || type == DataType::uint8;
}

/// Whether a list of integers is missing or holds `number` only.
bool are_all(const Node& node, std::string_view name, std::int64_t number) {
  const Attribute* attribute = node.find_attribute(name);
  const auto* list =
      attribute != nullptr ? std::get_if<std::vector<std::int64_t>>(&attribute->value) : nullptr;
  return list == nullptr || std::all_of(list->begin(), list->end(),
                                        [=](std::int64_t each) { return each == number; });
}

/// Adds up the work of the nodes that one kernel computes.
class GroupWork {
 public:
  GroupWork(const MacCounter& counter, const SizeObserver& sizes)
      : counter_(counter), sizes_(sizes) {}

  KernelWork of(const std::vector<const Node*>& members) const {
    const std::set<const Node*> inside(members.begin(), members.end());
    KernelWork work;
    std::set<const Value*> seen;
    for (const Node* node : members) {
      add_arithmetic(*node, work);
      for (std::int64_t i = 0; i < node->input_count(); ++i) {
        const Value* value = node->input(i);
        if (value == nullptr || inside.count(value->producer()) > 0 || !seen.insert(value).second) {
          continue;
        }
        const double bytes = read_bytes(*node, *value);
        work.bytes += bytes;
        if (is_constant(*value)) work.weight_bytes += bytes;
      }
      for (std::int64_t i = 0; i < node->output_count(); ++i) {
        const Value* value = node->output(i);
        if (value != nullptr && leaves(*value, inside)) work.bytes += sizes_.size(*value).bytes;
      }
    }
    return work;
  }

 private:
  static bool leaves(const Value& value, const std::set<const Node*>& inside) {
    return std::any_of(value.uses().begin(), value.uses().end(), [&](const Use& use) {
      return use.kind == Use::Kind::graph_output || inside.count(use.node) == 0;
    });
  }

  double output_elements(const Node& node) const {
    double elements = 0;
    for (std::int64_t i = 0; i < node.output_count(); ++i) {
      if (node.output(i) != nullptr) elements += sizes_.size(*node.output(i)).elements;
    }
    return elements;
  }

  double input_elements(const Node& node) const {
    double elements = 0;
    for (std::int64_t i = 0; i < node.input_count(); ++i) {
      const Value* value = node.input(i);
      if (value != nullptr && !is_constant(*value)) elements += sizes_.size(*value).elements;
    }
    return elements;
  }

  /// Of an operand that is picked from, such as an embedding, only what is picked is read.
  double read_bytes(const Node& node, const Value& value) const {
    const double bytes = sizes_.size(value).bytes;
    if (traits_of(node).has(OpTrait::data_movement) && node.output(0) != nullptr) {
      return std::min(bytes, sizes_.size(*node.output(0)).bytes);
    }
    return bytes;
  }

  void add_product(const Node& node, double macs, KernelWork& work) const {
    const OpTraits& traits = traits_of(node);
    work.macs += macs;
    work.depth = std::max(work.depth, macs / std::max(output_elements(node), 1.0));
    const Value* first = node.input(0);
    work.is_int8 = work.is_int8 || traits.has(OpTrait::integer_product) ||
                   (first != nullptr && is_int8(first->type().element));
    if (traits.has(OpTrait::recurrent)) work.functions += 5 * output_elements(node);
    const Value* filters = traits.filters >= 0 ? node.input(traits.filters) : nullptr;
    if (filters == nullptr) return;
    const std::optional<Shape> shape = to_known(filters->type().shape);
    if (!shape || shape->rank() < 3) return;
    work.channels = static_cast<double>((*shape)[0]);
    const bool is_suited = shape->rank() == 4 && (*shape)[2] == 3 && (*shape)[3] == 3 &&
                           are_all(node, "strides", 1) && are_all(node, "dilations", 1) &&
                           integer_attribute(node, "group", 1) == 1;
    if (is_suited && first != nullptr) {
      work.winograd_channels = static_cast<double>((*shape)[1]);
      work.winograd_elements = sizes_.size(*first).elements + output_elements(node);
    }
  }

  void add_arithmetic(const Node& node, KernelWork& work) const {
    const OpTraits& traits = traits_of(node);
    // The nodes of bodies have events of their own.
    if (traits.has(OpTrait::control_flow)) return;
    const std::optional<std::int64_t> macs = counter_.count(node).value();
    if (macs && *macs > 0) return add_product(node, static_cast<double>(*macs), work);
    // What kernels of the cpu provider do to quantized values, and changes of layout, is bound by
    // its traffic, and so are sums and clips.
    if (traits.has(OpTrait::reshapes)) return;
    if (node.domain() == own_domain || traits.has(OpTrait::quantized)) return;
    if (traits.has(OpTrait::data_movement)) {
      work.moved += output_elements(node);
    } else if (traits.role == QuantizeRole::function || !macs) {
      work.functions += output_elements(node);
    } else if (!traits.has(OpTrait::elementwise) && traits.role == QuantizeRole::none) {
      if (traits.has(OpTrait::keeps_axes)) {
        work.functions += output_elements(node);
      } else {
        work.steps += std::max(input_elements(node), output_elements(node));
      }
    }
  }

  const MacCounter& counter_;
  const SizeObserver& sizes_;
};

/// The members of each group by the name of its first node: nodes without events follow it in the
/// placement.
std::map<std::string, std::vector<const Node*>, std::less<>> groups_of(
    const Session& session, const std::set<std::string_view>& heads) {
  std::map<std::string_view, const Node*> nodes;
  for (const Node* node : nodes_in(session.model())) nodes.emplace(node->name(), node);
  std::map<std::string, std::vector<const Node*>, std::less<>> groups;
  std::vector<const Node*>* group = nullptr;
  for (const Placement& placement : session.placement()) {
    const auto found = nodes.find(placement.node);
    if (found == nodes.end()) continue;
    if (heads.count(placement.node) > 0) group = &groups[placement.node];
    // Those of a body that did not run follow as well.
    const bool is_member =
        group != nullptr &&
        (group->empty() || &group->front()->graph() == &found->second->graph());
    if (is_member) group->push_back(found->second);
  }
  return groups;
}

/// What all nodes together read of constants, each once.
double constant_bytes(const Session& session, const SizeObserver& sizes) {
  std::set<const Value*> seen;
  double bytes = 0;
  for (const Node* node : nodes_in(session.model())) {
    for (std::int64_t i = 0; i < node->input_count(); ++i) {
      const Value* value = node->input(i);
      if (value != nullptr && value->is_constant() && seen.insert(value).second) {
        bytes += sizes.size(*value).bytes;
      }
    }
  }
  return bytes;
}

}  // namespace

ModelEstimate estimate_model(const std::string& variant, const BenchRunner& runner,
                             const Device& device, int threads) {
  const Session& session = *runner.session();
  SizeObserver sizes;
  RunOptions options = runner.run_options();
  options.observer = &sizes;
  timed_run_ms(session, *runner.inputs(), options);
  Profile profile;
  options.observer = nullptr;
  options.profile = &profile;
  timed_run_ms(session, *runner.inputs(), options);

  ModelEstimate result;
  result.variant = variant;
  result.threads = std::min(threads, device.cores);
  result.weight_bytes = constant_bytes(session, sizes);
  std::map<std::string_view, double> calls;
  std::set<std::string_view> heads;
  std::map<std::string_view, std::string_view> types;
  std::set<std::string_view> nested;
  for (const ProfileEvent& event : profile.events) {
    if (event.depth > 0) nested.insert(event.node);
    calls[event.node] += 1;
    heads.insert(event.node);
    types[event.node] = event.op_type;
  }
  const MacCounter counter(session.model());
  const GroupWork group_work(counter, sizes);
  std::map<std::string_view, KernelWork> works;
  double resident_bytes = 0;
  for (const auto& [head, members] : groups_of(session, heads)) {
    KernelWork work = group_work.of(members);
    work.is_nested = nested.count(head) > 0;
    const std::string_view name = *heads.find(head);
    resident_bytes += work.weight_bytes;
    works[name] = work;
  }
  double seconds = 0;
  for (const auto& [name, work] : works) {
    const KernelTime time = estimate_kernel(work, device, threads, resident_bytes);
    EstimateRow row;
    row.node = std::string(name);
    row.op_type = std::string(types[name]);
    row.calls = calls[name];
    row.macs = work.macs * row.calls;
    row.bytes = work.bytes * row.calls;
    row.ms = 1e3 * time.seconds * row.calls;
    row.bound = time.bound;
    seconds += time.seconds * row.calls;
    result.macs += row.macs;
    result.rows.push_back(std::move(row));
  }
  result.overhead_ms = 1e3 * estimate_run_overhead(device);
  result.ms = 1e3 * seconds + result.overhead_ms;
  std::stable_sort(result.rows.begin(), result.rows.end(),
                   [](const EstimateRow& a, const EstimateRow& b) { return a.ms > b.ms; });
  return result;
}

}  // namespace ortool
