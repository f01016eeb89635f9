// Session: prepares a model once, and plans for each new set of shapes.
#include "libcore/runtime/session.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/memory/buffer_pool.hpp"
#include "libcore/base/memory/kept_memory.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/optimize/passes/inline_functions.hpp"
#include "libcore/provider/packing_budget.hpp"
#include "libcore/runtime/cache/packed_file.hpp"
#include "libcore/runtime/input_spec.hpp"
#include "libcore/runtime/model_types_observer.hpp"
#include "libcore/runtime/program.hpp"
#include "libcore/runtime/run_environment.hpp"
#include "libcore/runtime/shared_symbols.hpp"

namespace ortool {
namespace {

/// The nodes of all graphs.
std::int64_t nodes_to_compile(const PlacedGraphs& placed) {
  std::int64_t count = 0;
  for (const auto& [graph, groups] : placed) {
    for (const PlacedGroup& group : groups)
      count += static_cast<std::int64_t>(group.view.members().size());
  }
  return count;
}

/// Compiling reads small constants, with which the system maps what lies around them in the file.
void drop_pages_of_parameters(const Graph& graph) {
  constexpr std::uintptr_t dropped_together = std::uintptr_t{2} << 20;
  std::uintptr_t last = 0;
  for (const Value* value : graph.values()) {
    if (!value->is_constant() || !value->has_content()) continue;
    const Tensor& content = value->constant();
    const std::uintptr_t place =
        reinterpret_cast<std::uintptr_t>(content.bytes()) / dropped_together;
    if (content.type() == DataType::string || place == last) continue;
    if (drop_pages({content.bytes(), static_cast<std::size_t>(content.size_bytes())})) last = place;
  }
}

/// The inputs with a default value that lowering makes constants.
std::vector<std::string> names_to_freeze(const Model& model, const SessionOptions& options) {
  std::vector<std::string> names;
  const std::vector<std::string>& skipped = options.skipped_passes;
  const bool is_kept =
      options.optimize == OptimizeLevel::none ||
      std::find(skipped.begin(), skipped.end(), freeze_defaults_name) != skipped.end();
  if (is_kept) return names;
  for (const Value* input : model.inputs()) {
    if (input->has_default()) names.emplace_back(input->name());
  }
  return names;
}

}  // namespace

struct Session::State : KeptMemory {
  explicit State(SessionOptions given)
      : KeptMemory(given.cap), options(std::move(given)), buffers(BufferPool::make(options.cap)) {
    list();
  }
  ~State() override {
    unlist();
    buffers->close();
  }

  /// Frees arenas; the buffer pool frees its own memory.
  void release_kept() noexcept override {
    if (is_ready) program->release_arenas();
  }

  std::unique_ptr<const Model> model;
  ConstantStore constants;
  SessionOptions options;
  std::vector<Value*> required_inputs;
  PromotedValues promoted;
  LoweringReport lowering;
  std::unique_ptr<const Program> program;
  std::vector<Placement> placement;
  std::shared_ptr<BufferPool> buffers;
  std::atomic<bool> is_ready{false};  ///< `program` is set

  SharedSymbols shared;             ///< that rewriting assumed to be equal
  std::vector<std::string> frozen;  ///< inputs whose default value became a constant
  /// Before lowering; null if nothing is shared, frozen or to be checked.
  std::unique_ptr<Model> as_given;

  std::optional<SessionCache> cache;
  std::optional<PackedFile> packed;  ///< in the model's file, if it is read
  CacheReport cache_report;
  std::unique_ptr<DerivedStore> derived;   ///< what these read or write; null: nothing
  mutable std::mutex cache_mutex;          ///< guards the report, and these two
  bool is_unchecked = false;               ///< what was read from the cache
  std::unique_ptr<const Session> rebuilt;  ///< instead of this one, whose cache was damaged

  std::mutex other_sessions_mutex;  ///< guards these three
  std::unique_ptr<const Session> without_symbols;
  std::unique_ptr<const Session> with_overrides;

  /// `given_away`: null, or `inputs`.
  std::vector<RunValue> run(const Session& session, const NamedValues& inputs,
                            NamedValues* given_away, const RunOptions& how);
  void prepare(std::unique_ptr<Model> given);
  void prepare_with_cache(std::unique_ptr<Model> given);
  /// False, with `given` as it was, if the packed weights of its file are of no use.
  bool prepare_packed(std::unique_ptr<Model>& given);
  bool is_intact(Workers& workers) const;
  const Session* session_instead(const RunOptions& run);
  bool keeps_given() const { return !shared.is_empty() || !frozen.empty(); }
  const Session& session_without_symbols(const StopToken* stop);
  const Session& session_with_overrides(const StopToken* stop);
  bool is_overridden(const NamedValues& given) const;
};

LoweringOptions SessionOptions::lowering() const {
  LoweringOptions result{.level = optimize,
                         .providers = providers,
                         .strict_provider = strict_provider,
                         .pinned = pinned,
                         .keeps_events = keeps_events,
                         .stop = stop};
  if (!skipped_passes.empty())
    result.is_skipped = [this](std::string_view name) {
      return std::find(skipped_passes.begin(), skipped_passes.end(), name) != skipped_passes.end();
    };
  return result;
}

/// For runs that give one symbol several sizes: a session in which each input dimension has its own
/// symbol. Created on first use.
const Session& Session::State::session_without_symbols(const StopToken* stop) {
  const std::lock_guard lock(other_sessions_mutex);
  if (without_symbols == nullptr) {
    std::unique_ptr<Model> copy = copy_model(*as_given);
    forget_symbols(*copy);
    SessionOptions same = options;
    same.stop = stop;
    same.cache_dir.clear();
    without_symbols = std::make_unique<const Session>(std::move(copy), std::move(same));
    if (frozen.empty()) as_given = nullptr;
  }
  return *without_symbols;
}

/// For runs that give inputs with a default value another one: a session in which they are inputs.
/// Created on first use.
const Session& Session::State::session_with_overrides(const StopToken* stop) {
  const std::lock_guard lock(other_sessions_mutex);
  if (with_overrides == nullptr) {
    SessionOptions same = options;
    same.stop = stop;
    same.cache_dir.clear();
    same.skipped_passes.emplace_back(freeze_defaults_name);
    with_overrides = std::make_unique<const Session>(copy_model(*as_given), std::move(same));
    if (shared.is_empty()) as_given = nullptr;
  }
  return *with_overrides;
}

bool Session::State::is_overridden(const NamedValues& given) const {
  if (frozen.empty()) return false;
  return std::any_of(given.begin(), given.end(), [&](const auto& each) {
    return std::find(frozen.begin(), frozen.end(), each.first) != frozen.end();
  });
}

Session::Session(std::unique_ptr<Model> model, SessionOptions options)
    : state_(std::make_unique<State>(std::move(options))) {
  State& state = *state_;
  if (state.options.providers.empty()) {
    throw Error(ErrorCode::invalid, "no execution provider is given",
                "default_providers() lists those of this machine, the best first")
        .with_id("api.providers");
  }
  if (state.options.optimize != OptimizeLevel::none) state.shared = SharedSymbols(*model->graph);
  resolve_legacy_defaults(*model);
  state.frozen = names_to_freeze(*model, state.options);
  if (PackedFile::is_in(*model) && state.prepare_packed(model)) return;
  if (!state.options.cache_dir.empty()) {
    state.prepare_with_cache(std::move(model));
    return;
  }
  if (state.keeps_given()) state.as_given = copy_model(*model);
  state.prepare(std::move(model));
}

/// Lowers and compiles.
void Session::State::prepare(std::unique_ptr<Model> given) {
  const StopToken* stop = options.stop;
  Workers alone(stop);
  std::unique_ptr<Workers> pooled;
  if (options.pool != nullptr)
    pooled = std::make_unique<Workers>(*options.pool, options.threads, stop);
  PackingBudget packing(options.max_packed_bytes);
  const bool is_limited = options.max_packed_bytes < SessionOptions().max_packed_bytes;
  const CompileContext context{.workers = pooled ? *pooled : alone,
                               .cap = options.cap,
                               .max_threads = options.pool != nullptr ? options.pool->size() : 1,
                               .packing = is_limited ? &packing : nullptr,
                               .derived = derived.get()};
  std::optional<Progress> progress(std::in_place, options.on_step, "optimizing");
  LoweringOptions how = options.lowering();
  how.progress = &*progress;
  LoweredModel lowered = lower(*given, how, context);
  promoted = std::move(lowered.promoted);
  lowering = std::move(lowered.report);
  constants = std::move(lowered.constants);
  model = std::move(given);
  const Graph& graph = *model->graph;
  progress.emplace(options.on_step, "compiling");
  progress->expect(nodes_to_compile(lowered.placed));
  program = std::make_unique<const Program>(
      graph, lowered.placed, constants,
      Program::Options{.is_parallel = options.parallel,
                       .plan_cache_bytes = options.plan_cache_bytes},
      context, *progress);
  // A session made in a run tells nothing.
  options.on_step = nullptr;
  is_ready = true;
  placement = list_placement(*program, lowering);
  drop_pages_of_parameters(graph);
  for (Value* input : graph.inputs()) {
    if (!input->has_default()) required_inputs.push_back(input);
  }
}

/// The same with what an earlier start has kept; if that is of no use, keeps it anew.
void Session::State::prepare_with_cache(std::unique_ptr<Model> given) {
  // Copies have no functions.
  inline_functions(*given);
  cache.emplace(options, *given);
  cache_report.path = cache->path();
  if (!options.rewrites_cache) derived = cache->read(cache_report);
  if (derived != nullptr || keeps_given()) as_given = copy_model(*given);
  if (derived != nullptr) {
    try {
      prepare(std::move(given));
      cache_report.hit = true;
      cache_report.size_bytes = derived->size_bytes();
      is_unchecked = true;
      return;
    } catch (const Error& error) {
      if (options.stop != nullptr) options.stop->poll();
      cache_report.reason = error.message();
      cache_report.is_rebuilt = true;
    }
    given = copy_model(*as_given);
  }
  derived = cache->write(cache_report);
  prepare(std::move(given));
  if (derived != nullptr) {
    cache_report.size_bytes = derived->size_bytes();
    cache_report.failure = derived->commit(options.stop);
    cache->trim();
  }
  derived = nullptr;
  if (!keeps_given()) as_given = nullptr;
}

bool Session::State::prepare_packed(std::unique_ptr<Model>& given) {
  cache_report.has_packed = true;
  try {
    packed.emplace(*given);
    derived = packed->store();
    resolve_legacy_defaults(*given);
    inline_functions(*given);
    as_given = copy_model(*given);
    prepare(std::move(given));
    cache_report.size_bytes = derived->size_bytes();
    is_unchecked = true;
    return true;
  } catch (const Error& error) {
    if (options.stop != nullptr) options.stop->poll();
    const bool is_stale = error.id() == "cache.stale";
    const bool is_damaged = error.id() == "cache.damaged" || error.id() == "cache.file";
    cache_report.packed_refusal = is_stale     ? "they were packed for other settings or shapes"
                                  : is_damaged ? "they are damaged"
                                               : error.message();
  }
  derived = nullptr;
  packed.reset();
  if (as_given != nullptr) given = std::move(as_given);
  return false;
}

bool Session::State::is_intact(Workers& workers) const {
  return derived->is_intact(workers) && (!packed || packed->is_model_intact(workers));
}

/// The session that runs instead of this one, if what this one has read is damaged. Checks that
/// before the first run.
const Session* Session::State::session_instead(const RunOptions& run) {
  if (cache_report.path.empty() && !packed) return nullptr;
  const std::lock_guard lock(cache_mutex);
  if (!is_unchecked) return rebuilt.get();
  std::optional<Workers> workers;
  if (options.pool != nullptr) {
    workers.emplace(*options.pool, run.threads, run.stop);
  } else {
    workers.emplace(run.stop);
  }
  if (!is_intact(*workers)) {
    SessionOptions same = options;
    same.stop = run.stop;
    same.rewrites_cache = !packed;
    rebuilt = std::make_unique<const Session>(copy_model(*as_given), std::move(same));
    const CacheReport before = std::exchange(cache_report, rebuilt->cache());
    if (packed) {
      cache_report.has_packed = true;
      cache_report.packed_refusal = "they are damaged, or the weights beside them were changed";
    } else {
      cache_report.packed_refusal = before.packed_refusal;
      cache_report.has_packed = before.has_packed;
      cache_report.reason = "its content is damaged";
      cache_report.is_rebuilt = true;
    }
  }
  if (!keeps_given()) as_given = nullptr;
  derived = nullptr;
  is_unchecked = false;
  return rebuilt.get();
}

Session::~Session() = default;

const Model& Session::model() const {
  return *state_->model;
}

std::span<Value* const> Session::inputs() const {
  return state_->required_inputs;
}

std::span<Value* const> Session::outputs() const {
  return state_->model->outputs();
}

std::vector<RunValue> Session::run(const NamedValues& inputs, const RunOptions& options) const {
  return state_->run(*this, inputs, nullptr, options);
}

std::vector<RunValue> Session::run(NamedValues&& inputs, const RunOptions& options) const {
  return state_->run(*this, inputs, &inputs, options);
}

std::vector<RunValue> Session::State::run(const Session& session, const NamedValues& inputs,
                                          NamedValues* given_away, const RunOptions& how) {
  const auto run_instead = [&](const Session& other) {
    return given_away != nullptr ? other.run(std::move(*given_away), how) : other.run(inputs, how);
  };
  if (const Session* other = session_instead(how)) return run_instead(*other);
  const State& state = *this;
  if (is_overridden(inputs)) return run_instead(session_with_overrides(how.stop));
  state.buffers->begin_run();
  const BufferPool::Scope scope(state.buffers.get());
  std::vector<RunValue> matched = match_inputs(*state.model->graph, inputs);
  if (!state.shared.hold_for(matched)) return run_instead(session_without_symbols(how.stop));
  if (given_away != nullptr) given_away->clear();
  std::optional<ModelTypesObserver> observer;
  if (how.observer != nullptr) observer.emplace(state.promoted, *how.observer);
  if (how.observer != nullptr && state.options.parallel) {
    throw Error(ErrorCode::invalid, "values cannot be observed while nodes run in parallel",
                format("use {} sequential", setting_name("execution")));
  }
  BoundOutputs bound;
  if (!how.bound_outputs.empty())
    bound = BoundOutputs(how.bound_outputs, session.outputs(), matched);
  ValueMemory* const value_memory = ValueMemory::current();
  if (value_memory != nullptr) {
    value_memory->enter(*state.program, state.options.providers);
    for (std::size_t i = 0; i < matched.size(); ++i)
      matched[i] = value_memory->input(*state.model->graph->inputs()[i], matched[i]);
  }
  const auto run_with = [&](Workers& workers) {
    std::mutex profile_mutex;
    const RunEnvironment environment{
        .workers = workers,
        .cap = state.options.cap,
        .profile = how.profile,
        .device = DeviceReportScope::current(),
        .value_memory = value_memory,
        .given_away = given_away != nullptr ? std::span<RunValue>(matched) : std::span<RunValue>(),
        .observer = observer ? &*observer : nullptr,
        .progress = how.progress,
        .start = std::chrono::steady_clock::now(),
        .profile_mutex = &profile_mutex};
    std::vector<RunValue> outputs = state.program->run(matched, environment, bound);
    if (how.profile != nullptr) how.profile->total_ns = environment.elapsed_ns();
    return outputs;
  };
  if (state.options.pool == nullptr || how.threads <= 1) {
    Workers alone(how.stop);
    return run_with(alone);
  }
  Workers workers(*state.options.pool, how.threads, how.stop);
  return run_with(workers);
}

void Session::release_kept_memory() const {
  state_->buffers->release_kept();
  state_->release_kept();
}

std::int64_t Session::kept_bytes() const {
  return state_->buffers->free_bytes();
}

CacheReport Session::cache() const {
  const std::lock_guard lock(state_->cache_mutex);
  return state_->cache_report;
}

const LoweringReport& Session::lowering() const {
  return state_->lowering;
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
