// Writing to stdout and stderr so that a full disk or a closed pipe is noticed.
#pragma once

#include <string_view>

#include "libcore/json/text_sink.hpp"

namespace ortool {

/// Writes all of it or throws ErrorCode::write_failed with the system's reason. A reader that went
/// away is an error of id "output.closed", which nobody needs to read.
void write_to_stdout(std::string_view text);

/// Writes what it can.
void write_to_stderr(std::string_view text) noexcept;

/// Opens the null device in the place of standard streams that were closed by whoever started the
/// program, so that no file it opens is taken for one. Writing to a closed stdout still fails.
void fill_closed_streams() noexcept;

/// Throws as write_to_stdout does.
class StandardOutputSink : public TextSink {
 private:
  void pass_on(std::string_view text) override;
};

}  // namespace ortool
