// Runs a command with a memory limit: fails if it fails or exceeds the limit; also prints its time.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/wait.h>

/// bounded MEGABYTES COMMAND ARGUMENT...: discards the command's stdout, not its stderr. Limits the
/// largest resident set, in megabytes of 1,000,000 bytes. Exits as the command did, or 1.
int main(int count, char** arguments) {
  if (count < 3) return 2;
  const double max_megabytes = std::atof(arguments[1]);
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child == 0) {
    if (std::freopen("/dev/null", "w", stdout) == nullptr) ::_exit(126);
    ::execvp(arguments[2], arguments + 2);
    ::_exit(127);
  }
  int status = 0;
  struct rusage usage {};
  if (child < 0 || ::wait4(child, &status, 0, &usage) != child) return 2;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const double megabytes = static_cast<double>(usage.ru_maxrss) * 1024.0 / 1e6;
  std::printf("%.2f s, %.1f MB (at most %.0f)\n", seconds.count(), megabytes, max_megabytes);
  if (!WIFEXITED(status)) return 1;
  if (WEXITSTATUS(status) != 0) return WEXITSTATUS(status);
  return megabytes > max_megabytes ? 1 : 0;
}
