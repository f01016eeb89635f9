// From a model to kernels once, and from shapes to a plan as often as new shapes come.
#include "libcore/runtime/session.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>

#include "libcore/base/format.hpp"
#include "libcore/base/memory/buffer_pool.hpp"
#include "libcore/base/memory/kept_memory.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/lower/assign_layouts.hpp"
#include "libcore/lower/dequantize_recurrent_weights.hpp"
#include "libcore/lower/fuse_quantized.hpp"
#include "libcore/lower/keep_quantized_weights.hpp"
#include "libcore/lower/place.hpp"
#include "libcore/lower/promote_fp16.hpp"
#include "libcore/lower/resolve_captures.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/optimize/contrib/decompose_contrib.hpp"
#include "libcore/optimize/passes/inline_functions.hpp"
#include "libcore/optimize/passes/passes.hpp"
#include "libcore/optimize/pipeline.hpp"
#include "libcore/provider/constant_evaluator.hpp"
#include "libcore/provider/packing_budget.hpp"
#include "libcore/runtime/control_flow/control_flow.hpp"
#include "libcore/runtime/input_spec.hpp"
#include "libcore/runtime/program.hpp"
#include "libcore/runtime/run_environment.hpp"

namespace ortool {
namespace {

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
      const OpEntry* entry = find_op(node.domain(), node.op_type());
      const bool is_known = entry != nullptr && version_of(*entry, node) != nullptr;
      // Graphs of other operators, such as FlexAttention's, are the business of their kernels.
      if (!is_known || is_control_flow(node)) {
        for (const Graph* body : node.subgraphs()) open.push_back(body);
      }
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

/// The names of what rules made the node from; none for a node of the file.
std::vector<std::string> rewritten_origins(const Node& node) {
  const Metadata& metadata = node.metadata();
  const bool is_rewritten = std::any_of(metadata.begin(), metadata.end(), [](const auto& entry) {
    return entry.first == origin_key;
  });
  return is_rewritten ? origins_of(node) : std::vector<std::string>();
}

/// Weights keep their bytes until the clusters around them are found.
void fuse_clusters(Graph& graph, const RewriteOptions& options, MemoryCap* cap) {
  RewriteOptions keeping = options;
  keeping.fold_limits.keeps_dequantized = true;
  for (Graph* each : graphs_in(graph)) {
    RewriteReport report;
    fold_constants(*each, keeping, report);
    static_cast<void>(fuse_quantized(*each, cap));
    static_cast<void>(keep_quantized_weights(*each, cap));
    static_cast<void>(dequantize_recurrent_weights(*each, *options.evaluator));
    resolve_captures(graph);
  }
}

/// What the level asks for, with this session's kernels; types are inferred before and after.
void optimize(Model& model, OptimizeLevel level, const Provider& provider,
              const CompileContext& context, const StopToken* stop) {
  if (level == OptimizeLevel::none) return;
  ConstantEvaluator evaluator(provider, context);
  const RewriteOptions options{.has_own_operators = true,
                               .is_in_session = true,
                               .evaluator = &evaluator,
                               .cap = context.cap,
                               .stop = stop};
  if (level == OptimizeLevel::all) fuse_clusters(*model.graph, options, context.cap);
  static_cast<void>(optimize(model, level, options));
  infer_shapes(model);
}

/// One element is given for a scalar whatever its rank, as other runtimes allow.
bool is_scalar(const ValueType& type) {
  return type.is_tensor() && type.shape && type.shape->empty();
}

void check_fits(const Value& input, const RunValue& value) {
  using Kind = ValueType::Kind;
  const ValueType& type = input.type();
  const ValueType& inner = type.kind == Kind::optional && type.inner ? *type.inner : type;
  bool fits = true;
  if (value.is_none()) {
    fits = type.kind == Kind::optional;
  } else if (value.is_tensor()) {
    fits = takes_tensor(type, value.tensor().type(), value.tensor().shape());
  } else {
    fits = inner.kind == (value.is_sequence() ? Kind::sequence : Kind::map) ||
           inner.kind == Kind::unknown;
  }
  if (!fits) throw input_mismatch(input.name(), value.describe(), type);
}

}  // namespace

struct Session::State : KeptMemory {
  State(std::unique_ptr<Model> taken, SessionOptions given)
      : KeptMemory(given.cap),
        model(std::move(taken)),
        options(std::move(given)),
        buffers(BufferPool::make(options.cap)) {
    list();
  }
  ~State() override {
    unlist();
    buffers->close();
  }

  /// Frees arenas; the pool of buffers frees its own.
  void release_kept() noexcept override {
    if (is_ready) program->release_arenas();
  }

  std::unique_ptr<Model> model;
  SessionOptions options;
  std::vector<Value*> required_inputs;
  PromotedValues widened;
  std::unique_ptr<const Program> program;
  std::vector<Placement> placement;
  std::shared_ptr<BufferPool> buffers;
  std::atomic<bool> is_ready{false};  ///< `program` is there

  std::vector<RunValue> match(const NamedValues& given) const;
  void list_placement(const Program& of);
};

void Session::State::list_placement(const Program& of) {
  for (const CompiledStep& step : of.steps()) {
    for (const Node* member : step.view.members()) {
      placement.push_back({std::string(member->name()), std::string(member->op_type()),
                           std::string(step.provider_name()), std::string(step.kernel_name()),
                           step.reasons, rewritten_origins(*member)});
    }
    if (step.flow == nullptr) continue;
    for (const Program* body : step.flow->programs()) list_placement(*body);
  }
}

Session::Session(std::unique_ptr<Model> model, SessionOptions options)
    : state_(std::make_unique<State>(std::move(model), std::move(options))) {
  State& state = *state_;
  ORTOOL_CHECK(!state.options.providers.empty());
  Graph& graph = *state.model->graph;
  resolve_legacy_defaults(*state.model);
  inline_functions(*state.model);
  decompose_contrib_operators(*state.model);
  refuse_unknown_operators(graph);
  infer_shapes(*state.model);
  const StopToken* stop = state.options.stop;
  Workers alone(stop);
  std::unique_ptr<Workers> shared;
  if (state.options.pool != nullptr)
    shared = std::make_unique<Workers>(*state.options.pool, state.options.threads, stop);
  PackingBudget packing(state.options.most_packed_bytes);
  const CompileContext context{
      .workers = shared ? *shared : alone,
      .cap = state.options.cap,
      .most_threads = state.options.pool != nullptr ? state.options.pool->size() : 1,
      .packing = &packing};
  const Provider& last = *state.options.providers.back();
  const OptimizeLevel level = state.options.optimize;
  optimize(*state.model, level, last, context, stop);
  resolve_captures(graph);
  for (Graph* each : graphs_in(graph)) {
    if (level == OptimizeLevel::all) promote_fp16(*each, state.options.cap, state.widened);
    drop_unused_constants(*each);
  }
  PlacedGraphs placed = place(graph, state.options.providers, state.options.strict_provider,
                              level == OptimizeLevel::all, state.options.pinned);
  if (level == OptimizeLevel::all) assign_layouts(graph, placed, last);
  state.program = std::make_unique<const Program>(
      graph, placed,
      Program::Options{.is_parallel = state.options.parallel,
                       .plan_cache_bytes = state.options.plan_cache_bytes},
      context);
  state.is_ready = true;
  state.list_placement(*state.program);
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

std::vector<RunValue> Session::State::match(const NamedValues& given) const {
  const Graph& graph = *model->graph;
  for (const auto& [name, tensor] : given) {
    const Value* value = graph.find_value(name);
    if (value != nullptr && value->is_graph_input()) continue;
    throw Error(ErrorCode::invalid, format("the model has no input '{}'", name),
                "'ortool inspect' shows the inputs")
        .with_id("input.unknown");
  }
  std::vector<RunValue> result;
  for (const Value* input : graph.inputs()) {
    const auto found = std::find_if(given.begin(), given.end(),
                                    [&](const auto& each) { return each.first == input->name(); });
    const bool may_be_left_out =
        input->has_default() || input->type().kind == ValueType::Kind::optional;
    if (found == given.end() && !may_be_left_out) {
      throw Error(ErrorCode::invalid,
                  format("input '{}' ({}) is not given", input->name(), input->type().to_string()),
                  "give every input of the model")
          .with_id("input.missing");
    }
    RunValue value = found != given.end() ? found->second : RunValue(input->constant());
    if (is_scalar(input->type()) && value.is_tensor() && value.tensor().element_count() == 1)
      value = value.tensor().reshaped(Shape());
    check_fits(*input, value);
    result.push_back(value.is_tensor() ? RunValue(value.tensor().aligned()) : value);
  }
  return result;
}

std::vector<RunValue> Session::run(const NamedValues& inputs, const RunOptions& options) const {
  const State& state = *state_;
  state.buffers->begin_run();
  const BufferPool::Scope scope(state.buffers.get());
  const std::vector<RunValue> matched = state.match(inputs);
  std::optional<ModelTypesObserver> observer;
  if (options.observer != nullptr) observer.emplace(state.widened, *options.observer);
  if (options.observer != nullptr && state.options.parallel) {
    throw Error(ErrorCode::invalid, "values cannot be observed while nodes run at the same time",
                "use --execution sequential");
  }
  BoundOutputs bound;
  if (!options.bound_outputs.empty())
    bound = BoundOutputs(options.bound_outputs, outputs(), matched);
  const auto run_with = [&](Workers& workers) {
    std::mutex profile_mutex;
    const RunEnvironment environment{.workers = workers,
                                     .cap = state.options.cap,
                                     .profile = options.profile,
                                     .observer = observer ? &*observer : nullptr,
                                     .start = std::chrono::steady_clock::now(),
                                     .profile_mutex = &profile_mutex};
    std::vector<RunValue> outputs = state.program->run(matched, environment, bound);
    if (options.profile != nullptr) options.profile->total_ns = environment.elapsed_ns();
    return outputs;
  };
  if (state.options.pool == nullptr || options.threads <= 1) {
    Workers alone(options.stop);
    return run_with(alone);
  }
  Workers workers(*state.options.pool, options.threads, options.stop);
  return run_with(workers);
}

void Session::release_kept_memory() const {
  state_->buffers->release_kept();
  state_->release_kept();
}

std::int64_t Session::kept_bytes() const {
  return state_->buffers->free_bytes();
}

const std::vector<Placement>& Session::placement() const {
  return state_->placement;
}

std::int64_t Session::packed_bytes() const {
  return state_->program->packed_bytes();
}

std::int64_t Session::constant_bytes() const {
  std::set<const std::byte*> counted;
  return state_->program->constant_bytes(counted);
}

std::int64_t Session::arena_bytes() const {
  return state_->program->arena_bytes();
}

std::int64_t Session::plan_count() const {
  return state_->program->plan_count();
}

}  // namespace ortool
