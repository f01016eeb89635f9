// Passes text on to files.
#include "libcore/json/text_sink.hpp"

#include "libcore/base/file/atomic_file.hpp"

namespace ortool {

void FileSink::pass_on(std::string_view text) {
  file_.write(text);
}

}  // namespace ortool
