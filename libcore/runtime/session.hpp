// Session: a model prepared for execution, with a plan for each set of input shapes.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/base/stop_token.hpp"
#include "libcore/base/task_context.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/lower/lower.hpp"
#include "libcore/provider/provider.hpp"
#include "libcore/runtime/bound_outputs.hpp"
#include "libcore/runtime/cache/session_cache.hpp"
#include "libcore/runtime/input_spec.hpp"
#include "libcore/runtime/placement.hpp"

namespace ortool {

struct SessionOptions {
  /// In order of preference; the last must run every node that the others do not take.
  std::vector<std::shared_ptr<const Provider>> providers;
  /// All nodes on the first provider, or ErrorCode::provider_unavailable.
  bool strict_provider = false;
  ThreadPool* pool = nullptr;  ///< null: the calling thread only
  MemoryCap* cap = nullptr;    ///< null: no limit; must outlive the session and its outputs
  int threads = 1;             ///< for packing weights
  /// Polled while the session is constructed; null: not stoppable.
  const StopToken* stop = nullptr;
  /// Called while the session is constructed, with "optimizing" and "compiling".
  StepFunction on_step = {};
  /// none: every node runs in its own kernel, as in the file; basic and extended: constants are
  /// folded and the rules of that level applied; all: also QDQ clusters fused into integer
  /// operators, and groups of nodes fused into one kernel.
  OptimizeLevel optimize = OptimizeLevel::all;
  /// Passes and rules of lowering and rewriting to skip, by name (describe_lowering() and
  /// describe_passes() list them); required ones run regardless.
  std::vector<std::string> skipped_passes;
  bool keeps_events = false;  ///< lowering() reports every rewrite
  /// Runs independent nodes concurrently.
  bool parallel = false;
  /// The name of the provider that a node is pinned to, empty for none; may be null. If that
  /// provider refuses the node, others may take it.
  PinnedProvider pinned;
  std::int64_t plan_cache_bytes = std::int64_t{64} << 20;
  /// The limit on packed constant matrices in bytes; the others stay unpacked and are packed in
  /// each run, some columns at a time: the same bits, with a few megabytes of scratch memory.
  std::int64_t max_packed_bytes = std::numeric_limits<std::int64_t>::max();
  /// A folder in which packed and folded constants are kept for later starts, made if it is
  /// missing. Empty: nothing is kept.
  std::string cache_dir = {};
  /// The limit on the session caches in that folder, in bytes: after writing one, the least
  /// recently used others are removed.
  std::int64_t cache_limit_bytes = std::numeric_limits<std::int64_t>::max();
  /// Distinguishes caches by what these options do not show: settings of providers, pinned nodes.
  std::string cache_tag = {};
  bool rewrites_cache = false;  ///< writes the cache anew instead of reading it

  /// The part of these options that lowering needs; refers to them.
  LoweringOptions lowering() const;
};

/// Observes values as soon as they are computed.
class ValueObserver {
 public:
  virtual ~ValueObserver() = default;
  /// `value`, output `index` of `node`; lent for this call: what is kept must be owned(). Nodes
  /// inside the bodies of If, Loop and Scan are shown each time they run. Inner values of fused
  /// groups are never computed; a session that does not optimize has no such groups.
  virtual void observe(const Node& node, std::int64_t index, const RunValue& value) = 0;
};

struct RunOptions {
  int threads = 1;
  const StopToken* stop = nullptr;
  class Profile* profile = nullptr;   ///< filled if not null
  ValueObserver* observer = nullptr;  ///< may be null
  Progress* progress = nullptr;       ///< counts the main graph's steps; may be null
  /// Outputs to write to caller-owned memory, which must outlive the run. Their values are views of
  /// that memory.
  std::vector<BoundOutput> bound_outputs;
};

/// A kernel call of a profiled run. The strings live as long as the session.
struct ProfileEvent {
  std::string_view node;  ///< the group's first
  std::string_view op_type;
  std::string_view provider;
  std::string_view kernel;
  int depth;              ///< of the graph: 0 for the main one
  std::int64_t start_ns;  ///< since the run began
  std::int64_t duration_ns;
};

/// The execution times of a run, by kernel call.
class Profile {
 public:
  std::vector<ProfileEvent> events;
  std::int64_t total_ns = 0;
};

/// Thread-safe: run() is const, with its own buffers for each call. Arenas and the memory of
/// outputs that the caller has dropped are kept for later runs and counted against the cap; they
/// are freed when the cap is exhausted, when runs no longer need them, and with the session.
/// Outputs stay valid after the session has been destroyed.
class Session {
 public:
  /// Takes ownership of the model. Checks nodes, infers shapes, places and compiles. Throws when
  /// the model is invalid, and ErrorCode::unsupported listing all operators that cannot be run.
  Session(std::unique_ptr<Model> model, SessionOptions options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// As lowering left it. The session keeps the content of weights, and frees what kernels hold
  /// packed: of those the graph knows the types alone (Value::has_content()).
  const Model& model() const;
  /// The required graph inputs (those without a default), and the outputs, in order.
  std::span<Value* const> inputs() const;
  std::span<Value* const> outputs() const;

  /// Computes all outputs, in graph order. Inputs are matched by name. Throws ErrorCode::invalid
  /// for missing or unknown names, and for types or shapes that do not match. Inputs that share a
  /// symbol may differ in size: the first such run creates a second session without shared symbols.
  /// Inputs with a default value may be given too: the first such run creates a session that does
  /// not take the defaults for constants.
  std::vector<RunValue> run(const NamedValues& inputs, const RunOptions& options) const;
  /// The same with inputs that the caller gives away: where one plan computes all outputs, each is
  /// freed once it was read.
  std::vector<RunValue> run(NamedValues&& inputs, const RunOptions& options) const;

  /// Frees the memory kept for later runs.
  void release_kept_memory() const;
  /// The memory in bytes kept for outputs and intermediate values of later runs, without arenas.
  std::int64_t kept_bytes() const;

  /// What became of the cache. The first run checks what was read, and rebuilds the session if it
  /// is damaged.
  CacheReport cache() const;
  /// What each lowering pass did to the model.
  const LoweringReport& lowering() const;
  const std::vector<Placement>& placement() const;
  std::int64_t packed_bytes() const;
  /// The size in bytes of constants read in place at run time.
  std::int64_t constant_bytes() const;
  /// The size in bytes of the largest arena planned so far.
  std::int64_t arena_bytes() const;
  /// The number of plans built so far, including those of bodies: one per set of shapes, and more
  /// where shapes depend on content.
  std::int64_t plan_count() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ortool
