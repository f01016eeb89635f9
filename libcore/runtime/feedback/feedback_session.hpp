// Feedback session: runs a session whose outputs become inputs of the next run, where they are.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "libcore/provider/device/device_provider.hpp"
#include "libcore/runtime/feedback/value_memory.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

/// An output whose value is the next run's input.
struct FeedbackPair {
  std::string output;
  std::string input;
};

/// A value stays on a device between runs if one provider computes the output there and everything
/// that reads the input, also in bodies, and nothing else reads either. Others, as on the cpu, are
/// handed on without a copy. Inputs that are held stay as an early run got or made them, on a
/// device likewise: they are copied there when first read. Used by one thread at a time.
class FeedbackSession : private ValueMemory {
 public:
  /// `held_inputs` as by hold(). Throws ErrorCode::invalid for outputs that the session lacks, and
  /// for inputs fed or held twice.
  FeedbackSession(const Session& session, std::vector<FeedbackPair> feeds,
                  const std::vector<std::string>& held_inputs = {});
  ~FeedbackSession() override;

  /// Holds an input: the value that the first run is given is the later ones' too.
  void hold(const std::string& input);
  /// The same, but of an output: later runs get the value that the output has in the first run
  /// where it has elements. Until then the runs are given a value.
  void hold_output(const std::string& output, const std::string& input);
  /// Whether the next run is given the value that the input is held at.
  bool is_held_next(const std::string& input) const;
  /// Whether the next run makes the value of the input, by an output.
  bool is_made_next(const std::string& input) const;

  /// Runs with `inputs`; those that are fed or held are only read by the first run. Outputs that
  /// stay on a device are none (RunValue::is_none()) in the result: fetch() copies them. Where the
  /// run throws, values are as before it.
  std::vector<RunValue> run(const NamedValues& inputs, const RunOptions& options);
  /// Replaces the value of a fed or held input.
  void set(const std::string& input, RunValue value);
  /// The value of a fed output after the last run, or of one that is held, on the host.
  RunValue fetch(const std::string& output) const;
  /// How many values are on a device now.
  std::size_t kept_count() const;

 private:
  struct Slot;

  /// Null: the input is not fed.
  Slot* find_slot(const std::string& input);
  const Slot* find_slot(const std::string& input) const;
  Slot& add_slot(const std::string& input);
  std::size_t output_place(const std::string& output) const;

  using ProviderList = std::span<const std::shared_ptr<const Provider>>;
  void enter(const Program& program, ProviderList providers) override;
  RunValue input(const Value& input, const RunValue& given) override;
  Tensor make(const Value& output, DataType type, const Shape& shape) override;
  const std::byte* on_host(const std::byte* address) const override;

  void find_providers(const Program& program, ProviderList providers);
  std::shared_ptr<const FeedMemory> take_memory(Slot& slot, std::int64_t bytes);
  std::vector<RunValue> run_once(const NamedValues& inputs, const RunOptions& options);
  void move_to_host();

  const Session& session_;
  std::vector<Slot> slots_;
  const Program* entered_ = nullptr;  ///< by the last run
  /// By the values through which kernels on a device read and write them.
  std::unordered_map<const Value*, std::size_t> read_slots_;
  std::unordered_map<const Value*, std::size_t> written_slots_;
  bool is_on_host_ = false;  ///< for the run that begins
};

}  // namespace ortool
