// Stop report: written with system calls only, from texts that are ready.
#include "apps/ortool/report/stop_report.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>
#include <utility>

#include <sys/stat.h>

#include "apps/ortool/report/standard_output.hpp"
#include "libcore/base/file/atomic_file.hpp"

namespace ortool {

struct StopReport::Prepared {
  Texts texts;
  std::string target;     ///< the file that `path` leads to
  std::string temporary;  ///< beside it

  void write_file(std::string_view document) const noexcept;
};

void StopReport::Delete::operator()(Prepared* prepared) const {
  delete prepared;
}

/// As AtomicFile does it, which may allocate memory and throw.
void StopReport::Prepared::write_file(std::string_view document) const noexcept {
  struct stat status {};
  const bool exists = ::stat(target.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {
    const int descriptor = ::open(target.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor < 0) return;
    write_all(descriptor, document);
    ::close(descriptor);
    return;
  }
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) return;
  bool is_whole = !exists || ::fchmod(descriptor, status.st_mode & 07777) == 0;
  is_whole = is_whole && write_all(descriptor, document) == 0;
  is_whole = is_whole && (::fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP);
  is_whole = ::close(descriptor) == 0 && is_whole;
  if (!is_whole || ::rename(temporary.c_str(), target.c_str()) != 0) ::unlink(temporary.c_str());
}

void StopReport::prepare(Texts texts) {
  std::unique_ptr<Prepared, Delete> next(new Prepared{std::move(texts), {}, {}});
  if (!next->texts.path.empty()) {
    next->target = link_target(next->texts.path);
    next->temporary = temporary_name(next->target);
  }
  newest_.store(next.get());
  kept_.push_back(std::move(next));
}

void StopReport::write(ErrorCode reason) const noexcept {
  const Prepared* prepared = newest_.load();
  if (prepared == nullptr) return;
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    if (reasons[i] != reason) continue;
    const Texts& texts = prepared->texts;
    write_all(STDERR_FILENO, texts.lines[i]);
    if (!texts.path.empty()) prepared->write_file(texts.documents[i]);
    if (texts.is_on_stdout) write_all(STDOUT_FILENO, texts.documents[i]);
  }
}

}  // namespace ortool
