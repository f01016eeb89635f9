// Standard output: writes to stdout and stderr that detect a full disk or a closed pipe.
#pragma once

#include <string_view>

#include "libcore/json/text_sink.hpp"

namespace ortool {

/// Writes everything to a file descriptor: 0, or the errno of the write that failed.
/// Async-signal-safe.
int write_all(int descriptor, std::string_view text) noexcept;

/// Writes everything or throws ErrorCode::write_failed with the system's reason. A closed
/// pipe is an error with the id "output.closed", which need not be reported.
void write_to_stdout(std::string_view text);

/// Writes as much as possible. Async-signal-safe.
void write_to_stderr(std::string_view text) noexcept;

/// Opens the null device in place of standard streams that the parent process closed,
/// so that no other file gets their descriptors. Writing to a closed stdout still fails.
void fill_closed_streams() noexcept;

/// Throws as write_to_stdout does.
class StandardOutputSink : public TextSink {
 private:
  void pass_on(std::string_view text) override;
};

}  // namespace ortool
