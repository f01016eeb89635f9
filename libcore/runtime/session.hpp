// A model made ready to run: placed, compiled, and planned anew for each set of shapes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libcore/base/memory_cap.hpp"
#include "libcore/base/stop_token.hpp"
#include "libcore/base/thread_pool.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/runtime/provider.hpp"

namespace ortool {

/// Tensors by name, in the order given.
using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

struct SessionOptions {
  /// In order of preference; the last must run everything that the others leave.
  std::vector<std::shared_ptr<const Provider>> providers;
  /// All nodes on the first provider, or ErrorCode::provider_unavailable.
  bool strict_provider = false;
  ThreadPool* pool = nullptr;  ///< null: the calling thread alone
  MemoryCap* cap = nullptr;    ///< null: no limit; outlives the session and its outputs
  int threads = 1;             ///< for packing weights
  std::int64_t plan_cache_bytes = std::int64_t{64} << 20;
};

struct RunOptions {
  int threads = 1;
  const StopToken* stop = nullptr;
  class Profile* profile = nullptr;  ///< filled when not null
};

/// One kernel call of a profiled run.
struct ProfileEvent {
  std::int32_t step;
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
};

/// Safe for many threads at once: run() is const, with buffers of its own a call.
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
  /// for missing or unknown names, and types or shapes that do not fit.
  std::vector<Tensor> run(const NamedTensors& inputs, const RunOptions& options) const;

  const std::vector<Placement>& placement() const;
  /// The names of the steps that ProfileEvent::step counts: for each kernel its group's first node.
  std::string step_name(std::int32_t step) const;
  std::int64_t packed_bytes() const;
  /// Bytes of constants read at run time where they lie.
  std::int64_t constant_bytes() const;
  /// Bytes of the largest arena planned so far.
  std::int64_t arena_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ortool
