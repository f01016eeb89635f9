// Compute options: providers, threads, the memory limit, stop requests and messages of a call.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/base/task_context.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

/// What optimize(), quantize(), calibrate(), verify() and bench() compute with. Pointers may be
/// null; what they point to outlives the call, and the memory cap outlives the results as well.
struct ComputeOptions {
  /// In order of preference; the last must run everything that the others leave.
  /// default_providers() of providers/provider_list.hpp gives those of this machine.
  std::vector<std::shared_ptr<const Provider>> providers = {};
  int threads = 1;              ///< from 1
  ThreadPool* pool = nullptr;   ///< null: one of `threads` for the call
  MemoryCap* memory = nullptr;  ///< bounds tensors, in bytes; null: no limit
  StopToken* stop = nullptr;    ///< polled; null: nobody stops the call
  /// What is odd about the model or the data, in a sentence.
  std::function<void(std::string_view text)> on_warning = {};
  StepFunction on_step = {};
  /// What is assumed, such as a free dimension of 1, in a sentence.
  std::function<void(std::string_view text)> on_note = {};
};

/// A session's options: all nodes optimized as far as they can be, and the caller's pool, limit and
/// stop token. Without a pool, the calling thread computes alone.
SessionOptions session_options(const ComputeOptions& compute);

/// What ComputeOptions leave out, for as long as a call takes.
class ComputeScope {
 public:
  /// `options` outlives this. Throws ErrorCode::invalid where there is no provider although the
  /// call needs one, and for fewer threads than one.
  explicit ComputeScope(const ComputeOptions& options, bool needs_providers = true);

  const TaskContext& task() const { return task_; }
  /// The caller's pool, or one that starts now.
  ThreadPool& pool();

 private:
  const ComputeOptions& options_;
  StopToken own_stop_;
  std::optional<ThreadPool> own_pool_;
  TaskContext task_;
};

}  // namespace ortool
