// Passing text on to standard output and to files.
#include "apps/ortool/report/text_sink.hpp"

#include "apps/ortool/report/standard_output.hpp"
#include "libcore/base/file/atomic_file.hpp"

namespace ortool {

void StandardOutputSink::pass_on(std::string_view text) {
  if (!text.empty()) write_to_stdout(text);
}

void FileSink::pass_on(std::string_view text) {
  file_.write(text);
}

}  // namespace ortool
