// Progress messages on stderr for phases that take over a second.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "apps/ortool/option_values.hpp"
#include "apps/ortool/report/messages.hpp"
#include "libcore/base/task_context.hpp"

namespace ortool {

/// Of --progress, or in place of auto of the environment; throws ErrorCode::invalid for a wrong
/// one.
std::string progress_style(const OptionValues& options);

/// Prints what is being done: on one line of a terminal that stays when the phase ends (auto), as
/// lines every ten seconds elsewhere (auto), as lines or JSON lines every second (plain, json), or
/// not at all (none, or auto with -q). ORTOOL_PROGRESS replaces auto. Stops when destroyed. Of
/// phases inside phases the innermost is shown, except inside one that knows its total.
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
