// A model made ready to run: placed, compiled, and planned anew for each set of shapes.
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
#include "libcore/graph/model.hpp"
#include "libcore/lower/lower.hpp"
#include "libcore/provider/provider.hpp"
#include "libcore/runtime/bound_outputs.hpp"

namespace ortool {

/// Values by name, in the order given.
using NamedValues = std::vector<std::pair<std::string, RunValue>>;

struct SessionOptions {
  /// In order of preference; the last must run everything that the others leave.
  std::vector<std::shared_ptr<const Provider>> providers;
  /// All nodes on the first provider, or ErrorCode::provider_unavailable.
  bool strict_provider = false;
  ThreadPool* pool = nullptr;  ///< null: the calling thread alone
  MemoryCap* cap = nullptr;    ///< null: no limit; outlives the session and its outputs
  int threads = 1;             ///< for packing weights
  /// Polled while the session is made; null: nobody stops it.
  const StopToken* stop = nullptr;
  /// none: every node by a kernel of its own, as the file has it; basic and extended: constants
  /// folded and the rules of that level applied; all: also quantised clusters as operators on
  /// bytes, and groups of nodes that one kernel computes.
  OptimizeLevel optimize = OptimizeLevel::all;
  /// Passes and rules of lowering and rewriting that are left out, by name (describe_lowering() and
  /// describe_passes() list them); those that are required run all the same.
  std::vector<std::string> skipped_passes;
  bool keeps_events = false;  ///< lowering() tells each rewrite
  /// Independent nodes at once instead of one after the other.
  bool parallel = false;
  /// The name of the one provider that shall take a node, empty for those that any may take; may
  /// be null. Where that provider does not take it, the others may all the same.
  PinnedProvider pinned;
  std::int64_t plan_cache_bytes = std::int64_t{64} << 20;
  /// Constant matrices are kept packed up to so many bytes in all; the others stay where they lie
  /// and are packed in each run, some columns at a time: the same bits, in a few megabytes.
  std::int64_t most_packed_bytes = std::numeric_limits<std::int64_t>::max();

  /// What lowering takes of them; refers to these options.
  LoweringOptions lowering() const;
};

/// Sees values as soon as they are computed.
class ValueObserver {
 public:
  virtual ~ValueObserver() = default;
  /// `value`, the output `index` of `node`; lent for this call: what is kept must be owned().
  /// Nodes inside the bodies of If, Loop and Scan are told of each time they run. Values inside a
  /// fused group are never computed; a session that does not optimize has none.
  virtual void observe(const Node& node, std::int64_t index, const RunValue& value) = 0;
};

struct RunOptions {
  int threads = 1;
  const StopToken* stop = nullptr;
  class Profile* profile = nullptr;   ///< filled when not null
  ValueObserver* observer = nullptr;  ///< null: nobody looks
  /// Outputs that go to memory of the caller, which must outlive the run. Their values are views of
  /// that memory.
  std::vector<BoundOutput> bound_outputs;
};

/// One kernel call of a profiled run. The texts live as long as the session.
struct ProfileEvent {
  std::string_view node;  ///< the group's first
  std::string_view op_type;
  std::string_view provider;
  std::string_view kernel;
  int depth;              ///< of the graph: 0 for the main one
  std::int64_t start_ns;  ///< since the run began
  std::int64_t duration_ns;
};

/// Where the time of one run went.
class Profile {
 public:
  std::vector<ProfileEvent> events;
  std::int64_t total_ns = 0;
};

/// Which provider takes a node, with the kernel's name and the refusals of the ones before it.
struct Placement {
  std::string node;
  std::string op_type;
  std::string provider;
  std::string kernel;
  std::vector<std::string> reasons;  ///< "onednn: …" for each preferred provider that refused
  /// The nodes of the file that a rewritten node stands for; empty for one that is the file's own.
  std::vector<std::string> origins;
};

/// Safe for many threads at once: run() is const, with buffers of its own a call. Arenas and the
/// memory of outputs that the caller has dropped are kept for the next runs, counted against the
/// cap and freed where the cap has no more room, when runs have no use for them any more, and with
/// the session. Outputs stay valid after the session has ended.
class Session {
 public:
  /// Takes the model over. Checks nodes, infers shapes, places, compiles. Throws what is wrong with
  /// the model, and ErrorCode::unsupported listing all operators that nothing can run.
  Session(std::unique_ptr<Model> model, SessionOptions options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Model& model() const;
  /// The graph inputs that must be given (not the ones with a default), and the outputs, in order.
  std::span<Value* const> inputs() const;
  std::span<Value* const> outputs() const;

  /// Computes all outputs, in graph order. Inputs are matched by name. Throws ErrorCode::invalid
  /// for missing or unknown names, and types or shapes that do not fit. Inputs that share a symbol
  /// may have different sizes: the first run that gives such makes a second session for them.
  std::vector<RunValue> run(const NamedValues& inputs, const RunOptions& options) const;

  /// Frees the memory that is kept for the next runs.
  void release_kept_memory() const;
  /// Bytes kept for the outputs and inner values of the next runs, arenas aside.
  std::int64_t kept_bytes() const;

  /// What each pass of lowering did to the model.
  const LoweringReport& lowering() const;
  const std::vector<Placement>& placement() const;
  std::int64_t packed_bytes() const;
  /// Bytes of constants read at run time where they lie.
  std::int64_t constant_bytes() const;
  /// Bytes of the largest arena planned so far.
  std::int64_t arena_bytes() const;
  /// Plans built so far, those of bodies included: one a new set of shapes, and more where shapes
  /// depend on content.
  std::int64_t plan_count() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ortool
