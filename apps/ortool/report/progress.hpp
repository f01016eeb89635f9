// Progress messages on stderr for work that takes over a second.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "apps/ortool/option_values.hpp"
#include "apps/ortool/report/messages.hpp"
#include "libcore/base/task_context.hpp"

namespace ortool {

/// Prints once a second, from the first second on, what is being done: on one line of a terminal
/// (auto), as lines (plain), as JSON lines (json), or not at all (none, or auto without a terminal,
/// or -q). Stops when destroyed.
class ProgressLine : public ProgressMeter {
 public:
  ProgressLine(const OptionValues& options, const Messages& messages, std::string what);
  ~ProgressLine() override;
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// From now on also reports how many of how many are done, and the estimated remaining time.
  /// Cheap. The first call's count is the starting point.
  void tell_done(std::int64_t done, std::int64_t total) override;

 private:
  struct State;
  std::unique_ptr<State> state_;  ///< null: no messages
};

}  // namespace ortool
