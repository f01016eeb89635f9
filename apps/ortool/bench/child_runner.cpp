// Benchmark runner in a child process: spawns this program again, with pipes as standard streams.
#include "apps/ortool/bench/child_runner.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <unistd.h>

#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "apps/ortool/bench/device_block.hpp"
#include "libcore/base/file/descriptor.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/json/json.hpp"

extern char** environ;

namespace ortool {
namespace {

constexpr std::array<std::string_view, 26> passed_options = {
    "input",           "inputs",          "input-dir",     "random",       "seed",
    "range",           "image",           "dtype",         "image-config", "shape",
    "provider-option", "strict-provider", "execution",     "optimize",     "precision",
    "concurrency",     "max-memory",      "node-provider", "cast",         "nchwc-block",
    "keep-float",      "keep-float-op",   "custom-ops",    "define-op",    "cache-dir",
    "cache-limit"};

std::vector<std::string> words_for(const OptionValues& options, const BenchVariant& variant) {
  std::vector<std::string> words = {"ortool", "bench", "--stepped", "--quiet"};
  const OptionValues changed = options_for(options, variant);
  const auto pass = [&](std::string_view name) {
    for (const std::string& value : changed.all(name)) {
      const bool is_flag = name == "random" || name == "strict-provider" || name == "cast";
      words.push_back(is_flag && value == "true" ? format("--{}", name)
                                                 : format("--{}={}", name, value));
    }
  };
  for (const std::string_view name : passed_options) pass(name);
  pass("dim");
  pass("threads");
  if (variant.provider != "auto") pass("provider");
  words.push_back(variant.model.starts_with('-') ? "./" + variant.model : variant.model);
  return words;
}

[[noreturn]] void fail_to_start(int number) {
  throw Error(ErrorCode::no_conclusion,
              format("cannot start a separate process: {}", error_text(number)),
              "omit --isolate; separate processes can only be started where /proc exists")
      .with_id(std::string(no_process_id));
}

/// The file that starts this program again. /proc/self/exe is the dynamic loader where a launcher
/// started that with the program as its argument, as in the archive for other distributions: then
/// there is no interpreter, whose address the kernel would tell. The launcher passes its own path
/// as the name of the program.
const char* own_program() {
  return ::getauxval(AT_BASE) != 0 ? "/proc/self/exe" : program_invocation_name;
}

Descriptor opened(int number) {
  if (number < 0) fail_to_start(errno);
  return Descriptor(number);
}

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail_to_start(errno);
    reading = Descriptor(ends[0]);
    writing = Descriptor(ends[1]);
  }
  Descriptor reading;
  Descriptor writing;
};

/// The child process. Its standard error is kept in memory, to be read when it fails.
class Child {
 public:
  Child(const StopToken& stop, std::vector<std::string> words)
      : stop_(stop), errors_(opened(::memfd_create("ortool-errors", MFD_CLOEXEC))) {
    Pipe to_child;
    Pipe from_child;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to_child.reading.number(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, from_child.writing.number(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors_.number(), STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    sigaddset(&signals, SIGPIPE);
    sigaddset(&signals, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const int failure =
        ::posix_spawn(&process_, own_program(), &actions, &attributes, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (failure != 0) fail_to_start(failure);
    to_child_ = std::move(to_child.writing);
    from_child_ = std::move(from_child.reading);
  }
  ~Child() { end(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Sends a line and waits for the answer. Throws the process's own error when it exits instead.
  Json ask(std::string line) {
    line += '\n';
    is_waiting_ = true;
    const auto written =
        retry_interrupted([&] { return ::write(to_child_.number(), line.data(), line.size()); });
    if (written != static_cast<ssize_t>(line.size())) {
      is_waiting_ = false;
      fail();
    }
    for (;;) {
      const std::size_t end = pending_.find('\n');
      if (end != std::string::npos) {
        const Json answer =
            parse_json(std::string_view(pending_).substr(0, end), "stepped process");
        pending_.erase(0, end + 1);
        is_waiting_ = false;
        return answer;
      }
      read_more();
    }
  }

 private:
  void read_more() {
    pollfd waiting = {from_child_.number(), POLLIN, 0};
    constexpr int patience_ms = 50;
    const int ready = ::poll(&waiting, 1, patience_ms);
    stop_.poll();
    if (ready <= 0) return;
    std::array<char, 65536> buffer;
    const ssize_t got = retry_interrupted(
        [&] { return ::read(from_child_.number(), buffer.data(), buffer.size()); });
    if (got <= 0) {
      is_waiting_ = false;
      fail();
    }
    pending_.append(buffer.data(), static_cast<std::size_t>(got));
  }

  /// Reads the error that the process reported before it exited, and returns it as our own.
  [[noreturn]] void fail() {
    const int status = end();
    std::string text(4096, '\0');
    const ssize_t got = ::pread(errors_.number(), text.data(), text.size(), 0);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
    const auto line_behind = [&](std::string_view key) {
      const std::size_t at = text.find(key);
      if (at == std::string::npos) return std::string();
      const std::size_t begin = at + key.size();
      return text.substr(begin, text.find('\n', begin) - begin);
    };
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    const bool is_known = code >= 2 && code <= 7;
    const std::string said = line_behind("error: ");
    throw Error(is_known ? static_cast<ErrorCode>(code) : ErrorCode::no_conclusion,
                said.empty() ? "the separate process ended before it answered" : said,
                line_behind("hint: "));
  }

  /// Closes its standard input, which makes it exit; a busy one is killed.
  int end() noexcept {
    if (process_ <= 0) return status_;
    to_child_ = Descriptor();
    if (is_waiting_) ::kill(process_, SIGKILL);
    retry_interrupted([&] { return ::waitpid(process_, &status_, 0); });
    process_ = -1;
    return status_;
  }

  const StopToken& stop_;
  Descriptor errors_;
  Descriptor to_child_;
  Descriptor from_child_;
  pid_t process_ = -1;
  int status_ = 0;
  bool is_waiting_ = false;  ///< for an answer, which may take long
  std::string pending_;
};

double number_in(const Json& answer, std::string_view key) {
  const Json* value = answer.find(key);
  return value != nullptr && value->is_number() ? value->number() : 0;
}

std::int64_t whole_in(const Json& answer, std::string_view key) {
  return static_cast<std::int64_t>(number_in(answer, key));
}

class ChildRunner : public BenchRunner {
 public:
  ChildRunner(const StopToken& stop, std::vector<std::string> words)
      : child_(std::make_unique<Child>(stop, std::move(words))) {
    const Json info = child_->ask("info");
    facts_.load_ms = number_in(info, "load_ms");
    facts_.compile_ms = number_in(info, "compile_ms");
    facts_.first_run_ms = number_in(info, "first_run_ms");
    facts_.fallback_nodes = whole_in(info, "fallback_nodes");
    facts_.weight_bytes = whole_in(info, "weight_bytes");
    facts_.arena_bytes = whole_in(info, "arena_bytes");
    const Json* providers = info.find("providers");
    if (providers == nullptr || !providers->is_list()) return;
    for (const Json& name : providers->items()) {
      if (name.is_text()) facts_.providers.push_back(name.text());
    }
  }

  RunnerBlock run(std::int64_t runs) override {
    const Json answer = child_->ask(format("run {}", runs));
    RunnerBlock block;
    block.wall_ms = number_in(answer, "wall_ms");
    const Json* samples = answer.find("samples_ms");
    if (samples == nullptr || !samples->is_list()) return block;
    for (const Json& sample : samples->items()) {
      if (sample.is_number()) block.samples_ms.push_back(sample.number());
    }
    return block;
  }
  RunnerFacts facts() const override { return facts_; }
  std::optional<DeviceTimes> device_times() override {
    return device_times_of(child_->ask("device"));
  }

 private:
  std::unique_ptr<Child> child_;
  RunnerFacts facts_;
};

}  // namespace

bool can_have_child(const OptionValues& options, const BenchVariant& variant) {
  if (variant.model == "-") return false;
  const auto inputs = options.all("input");
  return std::none_of(inputs.begin(), inputs.end(), [](const std::string& text) {
    return text.ends_with("=-") || text.ends_with(":-");
  });
}

std::unique_ptr<BenchRunner> make_child_runner(const Invocation& invocation,
                                               const BenchVariant& variant) {
  return std::make_unique<ChildRunner>(invocation.stop, words_for(invocation.options, variant));
}

ProcessMemory measure_memory(const Invocation& invocation, const BenchVariant& variant) {
  Child child(invocation.stop, words_for(invocation.options, variant));
  child.ask("run 2");
  const Json info = child.ask("info");
  return {whole_in(info, "base_rss_bytes"), whole_in(info, "peak_rss_bytes")};
}

}  // namespace ortool
