// Feedback session: runs a session whose outputs become inputs of the next run, where they are.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libcore/provider/device_provider.hpp"
#include "libcore/runtime/feedback/output_memory.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

/// An output whose value is the next run's input.
struct FeedbackPair {
  std::string output;
  std::string input;
};

/// A value stays on a device between runs if one provider computes the output there and everything
/// that reads the input, and nothing else reads either. Others, as on the cpu, are handed on
/// without a copy. Used by one thread at a time.
class FeedbackSession : private OutputMemory {
 public:
  /// Throws ErrorCode::invalid for outputs that the session lacks, and for inputs fed twice.
  FeedbackSession(const Session& session, std::vector<FeedbackPair> feeds);
  ~FeedbackSession() override;

  /// Runs with `inputs`; those that are fed are only read by the first run, and by runs behind
  /// set(). Outputs that stay on a device are none (RunValue::is_none()) in the result: fetch()
  /// copies them. Where the run throws, values are as before it.
  std::vector<RunValue> run(const NamedValues& inputs, const RunOptions& options);
  /// Replaces the value of a fed input.
  void set(const std::string& input, RunValue value);
  /// The value of a fed output after the last run, on the host.
  RunValue fetch(const std::string& output) const;
  /// How many values are on a device now.
  std::size_t kept_count() const;

 private:
  struct Slot;

  /// Null: the input is not fed.
  Slot* find_slot(const std::string& input);

  using ProviderList = std::span<const std::shared_ptr<const Provider>>;
  void enter(const Session& session, ProviderList providers) override;
  void find_providers(const Session& session, ProviderList providers);
  Tensor make(std::size_t output, DataType type, const Shape& shape) override;
  std::shared_ptr<const FeedMemory> take_memory(Slot& slot, std::int64_t bytes);
  std::vector<RunValue> run_once(const NamedValues& inputs, const RunOptions& options);
  void move_to_host();

  const Session& session_;
  std::vector<Slot> slots_;
  const Session* entered_ = nullptr;  ///< by the last run
  bool is_on_host_ = false;           ///< for the run that begins
};

}  // namespace ortool
