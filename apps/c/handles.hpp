// Handles of the C interface: what its opaque structs hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/c/ortool/ortool.h"
#include "apps/c/value_info_list.hpp"
#include "libcore/base/error.hpp"
#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/base/stop_token.hpp"
#include "libcore/dataset/given_samples.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/runtime/feedback/feedback_session.hpp"
#include "libcore/runtime/session.hpp"
#include "libcore/tensor/run_value.hpp"

namespace ortool::c {

/// The bytes of a model file: a session is made from them, not from a model that another may use.
struct ModelFile {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
  std::string name;       ///< in errors
  std::string directory;  ///< of external weights; empty: none

  std::unique_ptr<Model> load(MemoryCap* cap) const;
};

/// A session with all that it refers to. Values that its runs return keep it.
struct SessionState {
  explicit SessionState(std::int64_t max_bytes) : memory(max_bytes) {}

  mutable MemoryCap memory;
  std::shared_ptr<ThreadPool> pool;
  int threads = 1;
  double load_ms = 0;
  double compile_ms = 0;
  std::unique_ptr<const Session> session;
  ValueInfoList inputs;
  ValueInfoList outputs;
};

}  // namespace ortool::c

struct ortool_stop {
  ortool::StopToken token;
};

struct ortool_value {
  ortool::RunValue value = {};
  std::span<std::byte> writable = {};       ///< the caller's memory; empty: none
  std::shared_ptr<const void> keeper = {};  ///< of what the value refers to; may be null

  /// The value goes before its keeper, whose memory limit counts it.
  ~ortool_value() { value = ortool::RunValue(); }
};

struct ortool_model {
  ortool::c::ModelFile file;
  ortool::c::ValueInfoList inputs;
  ortool::c::ValueInfoList outputs;
};

/// What next_sample() adds to; the first failure of ortool_sample_add().
struct ortool_sample {
  ortool::GivenSamples& samples;
  std::optional<ortool::Error> failure = {};
};

struct ortool_session {
  std::shared_ptr<const ortool::c::SessionState> state;
};

struct ortool_feedback {
  std::shared_ptr<const ortool::c::SessionState> session;
  std::vector<ortool::FeedbackPair> pairs;
  ortool::FeedbackSession runs;
};

struct ortool_profile {
  std::deque<std::string> texts;
  std::deque<ortool_profile_event> events;
  std::vector<const ortool_profile_event*> pointers;
  std::int64_t total_ns = 0;
  std::shared_ptr<const ortool::c::SessionState> session;  ///< of the run; null: none yet
};
