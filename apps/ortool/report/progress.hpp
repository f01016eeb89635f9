// A sign of life on stderr for whatever takes over a second.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "apps/ortool/option_values.hpp"
#include "apps/ortool/report/messages.hpp"
#include "libcore/base/task_context.hpp"

namespace ortool {

/// From the first second on tells once a second what is being done: over one line on a terminal
/// (auto), as lines (plain), as JSON lines (json), or not at all (none, or auto without a terminal,
/// or -q). Ends with the object.
class ProgressLine : public ProgressMeter {
 public:
  ProgressLine(const OptionValues& options, const Messages& messages, std::string what);
  ~ProgressLine() override;
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// From now on told too: how many of how many are done, and how long the rest takes at that pace.
  /// Cheap. The first call's count is where the work begins.
  void tell_done(std::int64_t done, std::int64_t total) override;

 private:
  struct State;
  std::unique_ptr<State> state_;  ///< null: nothing is told
};

}  // namespace ortool
