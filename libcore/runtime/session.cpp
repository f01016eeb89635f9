// From a model to kernels once, and from shapes to a plan as often as new shapes come.
#include "libcore/runtime/session.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/runtime/compile.hpp"
#include "libcore/runtime/fold_constants.hpp"
#include "libcore/runtime/operand_table.hpp"
#include "libcore/runtime/place.hpp"
#include "libcore/runtime/plan.hpp"
#include "libcore/runtime/plan_cache.hpp"

namespace ortool {
namespace {

/// Inputs whose content takes part in a plan's key must stay small.
constexpr std::int64_t most_host_elements = 1024;

/// One error for all operators that the catalog lacks, those in subgraphs included.
void refuse_unknown_operators(const Graph& graph) {
  const bool is_too_new = graph.opset("") > newest_opset;
  std::set<std::string> names;
  std::vector<const Node*> nodes;
  std::vector<const Graph*> open = {&graph};
  while (!open.empty()) {
    const Graph& current = *open.back();
    open.pop_back();
    for (const Node& node : current.nodes()) {
      for (const Graph* subgraph : node.subgraphs()) open.push_back(subgraph);
      const OpEntry* entry = find_op(node.domain(), node.op_type());
      const bool is_known = entry != nullptr && version_of(*entry, node) != nullptr;
      if (is_known && !(is_too_new && node.domain().empty())) continue;
      nodes.push_back(&node);
      names.insert(format("{}{}{}-{}", node.domain(), node.domain().empty() ? "" : ".",
                          node.op_type(), graph.opset(node.domain())));
    }
  }
  if (nodes.empty()) return;
  const std::vector<std::string> listed(names.begin(), names.end());
  const Node& first = *nodes.front();
  Error error(
      ErrorCode::unsupported,
      nodes.size() == 1
          ? format("operator {} is not supported", listed.front())
          : format("operators of {} nodes are not supported: {}", nodes.size(), list_names(listed)),
      is_too_new ? format("opset {} is newer than {}, the newest one known; convert the model",
                          graph.opset(""), newest_opset)
                 : std::string("'ortool providers --kernels' lists what there is"));
  error.with_id("node.operator.unknown").at_node(shorten(first.name()), shorten(first.op_type()));
  for (const Node* node : nodes) {
    error.add_part(Error(ErrorCode::unsupported, "the operator is not supported")
                       .at_node(node->name(), node->op_type())
                       .with_id("node.operator.unknown"));
  }
  throw error;
}

/// Constants that nothing reads any more are let go.
void drop_unused_constants(Graph& graph) {
  for (Value* value : graph.values()) {
    if (value->is_constant() && value->uses().empty()) graph.remove_value(*value);
  }
}

void check_fits(const Value& input, const Tensor& tensor) {
  const ValueType& type = input.type();
  if (!type.is_tensor()) {
    throw Error(ErrorCode::unsupported, format("input '{}' is a {}, which cannot be given yet",
                                               input.name(), type.to_string()));
  }
  const bool same_type = type.element == DataType::undefined || type.element == tensor.type();
  bool same_shape =
      !type.shape || static_cast<std::int64_t>(type.shape->size()) == tensor.shape().rank();
  for (std::size_t i = 0; same_shape && type.shape && i < type.shape->size(); ++i) {
    const Dimension& dimension = (*type.shape)[i];
    same_shape =
        !dimension.is_known() || dimension.number() == tensor.shape()[static_cast<std::int64_t>(i)];
  }
  if (same_type && same_shape) return;
  throw Error(ErrorCode::invalid,
              format("input '{}' is given as {}[{}] (expected {})", input.name(),
                     name_of(tensor.type()), tensor.shape().to_string(), type.to_string()),
              "convert or reshape the tensor; 'ortool inspect' shows the model's inputs")
      .with_id("input.mismatch");
}

/// Graph inputs that `value` is computed from, as long as every one on the way may be known early.
void collect_sources(const Value* value, std::set<const Value*>& seen,
                     std::set<const Value*>& inputs) {
  std::vector<const Value*> open = {value};
  while (!open.empty()) {
    const Value* current = open.back();
    open.pop_back();
    if (!seen.insert(current).second) continue;
    if (current->is_graph_input()) {
      inputs.insert(current);
    } else if (const Node* producer = current->producer()) {
      const bool needs_shape_only = producer->op_type() == "Shape" || producer->op_type() == "Size";
      if (needs_shape_only && producer->domain().empty()) continue;
      for (std::int64_t i = 0; i < producer->input_count(); ++i) {
        if (producer->input(i) != nullptr) open.push_back(producer->input(i));
      }
    }
  }
}

}  // namespace

struct Session::State {
  State(std::unique_ptr<Model> taken, SessionOptions given)
      : model(std::move(taken)), options(std::move(given)), plans(options.plan_cache_bytes) {}

  std::unique_ptr<Model> model;
  SessionOptions options;
  std::vector<Value*> required_inputs;
  std::vector<CompiledStep> steps;
  std::vector<Placement> placement;
  mutable PlanCache plans;
  mutable std::mutex host_mutex;
  mutable std::set<const Value*> host_inputs;  ///< inputs whose content shapes depend on
  mutable std::atomic<std::int64_t> arena_bytes{0};

  std::vector<Tensor> match(const NamedTensors& given) const;
  std::shared_ptr<const Plan> plan_for(std::span<const Tensor> inputs, Workers& workers) const;
  std::set<const Value*> hosts() const {
    const std::lock_guard lock(host_mutex);
    return host_inputs;
  }
};

Session::Session(std::unique_ptr<Model> model, SessionOptions options)
    : state_(std::make_unique<State>(std::move(model), std::move(options))) {
  State& state = *state_;
  ORTOOL_CHECK(!state.options.providers.empty());
  Graph& graph = *state.model->graph;
  settle_old_defaults(*state.model);
  refuse_unknown_operators(graph);
  infer_shapes(*state.model);
  Workers alone;
  std::unique_ptr<Workers> shared;
  if (state.options.pool != nullptr)
    shared = std::make_unique<Workers>(*state.options.pool, state.options.threads);
  const CompileContext context{
      .workers = shared ? *shared : alone,
      .cap = state.options.cap,
      .most_threads = state.options.pool != nullptr ? state.options.pool->size() : 1};
  fold_constants(graph, *state.options.providers.back(), context);
  infer_shapes(*state.model);
  drop_unused_constants(graph);
  state.steps =
      compile(place(graph, state.options.providers, state.options.strict_provider), context);
  for (const CompiledStep& step : state.steps) {
    for (const Node* member : step.view.members()) {
      state.placement.push_back({std::string(member->name()), std::string(member->op_type()),
                                 std::string(step.provider->name()),
                                 std::string(step.kernel->name()), step.reasons});
    }
  }
  for (Value* input : graph.inputs()) {
    if (!input->has_default()) state.required_inputs.push_back(input);
  }
}

Session::~Session() = default;

const Model& Session::model() const {
  return *state_->model;
}

std::span<Value* const> Session::inputs() const {
  return state_->required_inputs;
}

std::span<Value* const> Session::outputs() const {
  return state_->model->graph->outputs();
}

std::vector<Tensor> Session::State::match(const NamedTensors& given) const {
  const Graph& graph = *model->graph;
  for (const auto& [name, tensor] : given) {
    const Value* value = graph.find_value(name);
    if (value != nullptr && value->is_graph_input()) continue;
    throw Error(ErrorCode::invalid, format("the model has no input '{}'", name),
                "'ortool inspect' shows the inputs")
        .with_id("input.unknown");
  }
  std::vector<Tensor> result;
  for (const Value* input : graph.inputs()) {
    const auto found = std::find_if(given.begin(), given.end(),
                                    [&](const auto& each) { return each.first == input->name(); });
    if (found == given.end() && !input->has_default()) {
      throw Error(ErrorCode::invalid,
                  format("input '{}' ({}) is not given", input->name(), input->type().to_string()),
                  "give every input of the model")
          .with_id("input.missing");
    }
    const Tensor& tensor = found != given.end() ? found->second : input->constant();
    check_fits(*input, tensor);
    result.push_back(tensor.aligned());
  }
  return result;
}

std::shared_ptr<const Plan> Session::State::plan_for(std::span<const Tensor> inputs,
                                                     Workers& workers) const {
  const Graph& graph = *model->graph;
  while (true) {
    const std::set<const Value*> host = hosts();
    std::string key;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Tensor& tensor = inputs[i];
      key.append(tensor.shape().to_string()).append(1, ';');
      if (host.contains(graph.inputs()[i])) {
        key.append(reinterpret_cast<const char*>(tensor.bytes()),
                   static_cast<std::size_t>(tensor.size_bytes()));
      }
    }
    if (std::shared_ptr<const Plan> plan = plans.find(key)) return plan;

    OperandTable table(graph);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Value& input = *graph.inputs()[i];
      if (host.contains(&input)) {
        table.set_known(input, inputs[i]);
      } else {
        table.set(input, inputs[i].type(), inputs[i].shape(), nullptr);
      }
    }
    std::vector<const Value*> wanted;
    if (auto plan = Plan::build({graph, steps, workers, options.cap}, std::move(table), wanted)) {
      std::int64_t largest = arena_bytes.load();
      while (plan->arena_bytes() > largest &&
             !arena_bytes.compare_exchange_weak(largest, plan->arena_bytes())) {
      }
      plans.insert(key, plan);
      return plan;
    }
    std::set<const Value*> seen;
    std::set<const Value*> sources;
    for (const Value* value : wanted) collect_sources(value, seen, sources);
    bool found_new = false;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Value* input = graph.inputs()[i];
      const bool is_small =
          inputs[i].element_count() <= most_host_elements && inputs[i].type() != DataType::string;
      if (!sources.contains(input) || host.contains(input) || !is_small) continue;
      const std::lock_guard lock(host_mutex);
      found_new = host_inputs.insert(input).second || found_new;
    }
    if (found_new || hosts() != host) continue;
    const Value* value = wanted.empty() ? graph.outputs().front() : wanted.back();
    throw Error(ErrorCode::unsupported,
                format("a shape depends on the content of '{}', which is computed during the run",
                       value->name()),
                "shapes that depend on data are not supported in this version")
        .with_id("shape.data_dependent");
  }
}

std::vector<Tensor> Session::run(const NamedTensors& inputs, const RunOptions& options) const {
  const State& state = *state_;
  const std::vector<Tensor> matched = state.match(inputs);
  const auto run_with = [&](Workers& workers) {
    const std::shared_ptr<const Plan> plan = state.plan_for(matched, workers);
    return plan->run(matched, workers, state.options.cap, options.profile);
  };
  if (state.options.pool == nullptr || options.threads <= 1) {
    Workers alone(options.stop);
    return run_with(alone);
  }
  Workers workers(*state.options.pool, options.threads, options.stop);
  return run_with(workers);
}

const std::vector<Placement>& Session::placement() const {
  return state_->placement;
}

std::string Session::step_name(std::int32_t step) const {
  return std::string(state_->steps[static_cast<std::size_t>(step)].view.node().name());
}

std::int64_t Session::packed_bytes() const {
  std::int64_t bytes = 0;
  for (const CompiledStep& step : state_->steps) bytes += step.kernel->packed_bytes();
  return bytes;
}

std::int64_t Session::constant_bytes() const {
  std::int64_t bytes = 0;
  std::set<const Value*> counted;
  for (const CompiledStep& step : state_->steps) {
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
      const Value* value = step.inputs[i];
      if (value == nullptr || !value->is_constant() || !step.kernel->needs_input(i)) continue;
      if (counted.insert(value).second) bytes += value->constant().size_bytes();
    }
  }
  return bytes;
}

std::int64_t Session::arena_bytes() const {
  return state_->arena_bytes.load();
}

}  // namespace ortool
