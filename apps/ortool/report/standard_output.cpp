// Standard output: write(2) with handling of short writes and interruptions.
#include "apps/ortool/report/standard_output.hpp"

#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <unistd.h>

#include "libcore/base/error.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"

namespace ortool {

int write_all(int descriptor, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : EIO;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

void write_to_stdout(std::string_view text) {
  const int failure = write_all(STDOUT_FILENO, text);
  if (failure == 0) return;
  throw Error(ErrorCode::write_failed,
              format("standard output: cannot write: {}", error_text(failure)),
              "check where the output goes: is the disk full, or the stream closed?")
      .with_id(failure == EPIPE ? "output.closed" : "output.write");
}

void write_to_stderr(std::string_view text) noexcept {
  write_all(STDERR_FILENO, text);
}

void fill_closed_streams() noexcept {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // stdout is opened read-only, so that writes to it still fail.
    const int opened = ::open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY);
    if (opened >= 0 && opened != descriptor) ::close(opened);
  }
}

void StandardOutputSink::pass_on(std::string_view text) {
  if (!text.empty()) write_to_stdout(text);
}

}  // namespace ortool
