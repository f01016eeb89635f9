// Feedback session: runs a session whose outputs become inputs of the next run, where they are.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libcore/provider/device/device_provider.hpp"
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
/// without a copy. Inputs that are held stay as the first run got them, on a device likewise. Used
/// by one thread at a time.
class FeedbackSession : private OutputMemory {
 public:
  /// `held_inputs` are given to the first run, and the later ones get them again. Throws
  /// ErrorCode::invalid for outputs that the session lacks, and for inputs fed or held twice.
  FeedbackSession(const Session& session, std::vector<FeedbackPair> feeds,
                  const std::vector<std::string>& held_inputs = {});
  ~FeedbackSession() override;

  /// Runs with `inputs`; those that are fed or held are only read by the first run. Outputs that
  /// stay on a device are none (RunValue::is_none()) in the result: fetch() copies them. Where the
  /// run throws, values are as before it.
  std::vector<RunValue> run(const NamedValues& inputs, const RunOptions& options);
  /// Replaces the value of a fed or held input.
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
  /// Takes the value of a held input that the first run got.
  static void hold(Slot& slot, const NamedValues& inputs);
  Tensor make(std::size_t output, DataType type, const Shape& shape) override;
  std::shared_ptr<const FeedMemory> take_memory(Slot& slot, std::int64_t bytes);
  std::vector<RunValue> run_once(const NamedValues& inputs, const RunOptions& options);
  void move_to_host();
  /// Copies values that are held to the device, if they are to be there and are not yet.
  void move_held_to_device();

  const Session& session_;
  std::vector<Slot> slots_;
  const Session* entered_ = nullptr;  ///< by the last run
  bool is_on_host_ = false;           ///< for the run that begins
};

}  // namespace ortool
