// Runs a shell command; its output pipe is polled with a time-out to notice stop requests soon.
#include "libcore/base/shell_command.hpp"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <unistd.h>

#include <sys/wait.h>

#include "libcore/base/error.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"

extern char** environ;

namespace ortool {
namespace {

constexpr int poll_milliseconds = 50;
/// Only the end of the output is kept, since that is where the command prints its result.
constexpr std::size_t max_output_bytes = std::size_t{64} << 10;

Error no_start(int failure) {
  Error error(ErrorCode::invalid, format("/bin/sh cannot be started: {}", error_text(failure)));
  error.with_id("quantize.metric");
  return error;
}

/// Both ends of a pipe; the destructor closes those that are still open.
struct CommandPipe {
  int reading = -1;
  int writing = -1;

  CommandPipe() {
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0) throw no_start(errno);
    reading = ends[0];
    writing = ends[1];
  }
  ~CommandPipe() {
    if (reading >= 0) ::close(reading);
    if (writing >= 0) ::close(writing);
  }
  CommandPipe(const CommandPipe&) = delete;
  CommandPipe& operator=(const CommandPipe&) = delete;
};

/// A child process and its process group, terminated by the destructor.
class CommandProcess {
 public:
  CommandProcess(const std::string& line, int output) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    for (const int each : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) sigaddset(&signals, each);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    std::string shell = "/bin/sh";
    std::string option = "-c";
    std::string text = line;
    char* const words[] = {shell.data(), option.data(), text.data(), nullptr};
    const int failure =
        ::posix_spawn(&process_, shell.c_str(), &actions, &attributes, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (failure != 0) throw no_start(failure);
  }
  ~CommandProcess() {
    if (process_ <= 0) return;
    ::kill(-process_, SIGKILL);
    wait();
  }
  CommandProcess(const CommandProcess&) = delete;
  CommandProcess& operator=(const CommandProcess&) = delete;

  int wait() {
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
    process_ = -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  pid_t process_ = -1;
};

}  // namespace

CommandEnd run_outside_command(const std::string& line, const StopToken& stop) {
  CommandPipe pipe;
  CommandProcess child(line, pipe.writing);
  ::close(pipe.writing);
  pipe.writing = -1;
  CommandEnd end;
  char buffer[4096];
  for (;;) {
    stop.poll();
    pollfd watched{pipe.reading, POLLIN, 0};
    const int ready = ::poll(&watched, 1, poll_milliseconds);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t count = ::read(pipe.reading, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    end.output.append(buffer, static_cast<std::size_t>(count));
    if (end.output.size() >= 2 * max_output_bytes)
      end.output.erase(0, end.output.size() - max_output_bytes);
  }
  if (end.output.size() > max_output_bytes)
    end.output.erase(0, end.output.size() - max_output_bytes);
  end.exit_code = child.wait();
  return end;
}

}  // namespace ortool
