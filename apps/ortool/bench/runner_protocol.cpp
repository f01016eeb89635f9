// Stepped mode: reads commands and writes answers, polling the stop token while waiting.
#include "apps/ortool/bench/runner_protocol.hpp"

#include <array>
#include <fstream>
#include <poll.h>
#include <sstream>
#include <string>
#include <unistd.h>

#include "apps/ortool/bench/bench_blocks.hpp"
#include "apps/ortool/bench/bench_settings.hpp"
#include "apps/ortool/bench/device_block.hpp"
#include "apps/ortool/report/standard_output.hpp"
#include "libcore/base/file/descriptor.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/stopwatch.hpp"
#include "libcore/json/json.hpp"

namespace ortool {
namespace {

constexpr double max_step_seconds = 1e6;

/// Lines of standard input, in whatever chunks they arrive.
class StepReader {
 public:
  explicit StepReader(const StopToken& stop) : stop_(stop) {}

  /// False at the end of input.
  bool next(std::string& line) {
    for (;;) {
      const std::size_t end = pending_.find('\n');
      if (end != std::string::npos || (has_ended_ && !pending_.empty())) {
        line = pending_.substr(0, end);
        pending_.erase(0, end == std::string::npos ? end : end + 1);
        if (line.ends_with('\r')) line.pop_back();
        return true;
      }
      if (has_ended_) return false;
      wait();
    }
  }

 private:
  void wait() {
    pollfd waiting = {STDIN_FILENO, POLLIN, 0};
    constexpr int patience_ms = 50;
    const int ready = ::poll(&waiting, 1, patience_ms);
    stop_.poll();
    if (ready <= 0) return;
    std::array<char, 4096> buffer;
    const ssize_t got =
        retry_interrupted([&] { return ::read(STDIN_FILENO, buffer.data(), buffer.size()); });
    if (got <= 0) {
      has_ended_ = true;
    } else {
      pending_.append(buffer.data(), static_cast<std::size_t>(got));
    }
    if (pending_.size() > 1 << 16) {
      throw Error(ErrorCode::invalid, "standard input: a line is longer than 64 kB",
                  "write lines like: run 100");
    }
  }

  const StopToken& stop_;
  std::string pending_;
  bool has_ended_ = false;
};

std::int64_t status_bytes(std::string_view key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    std::istringstream fields(line.substr(key.size()));
    std::int64_t kibibytes = -1;
    fields >> kibibytes;
    return kibibytes < 0 ? -1 : kibibytes * 1024;
  }
  return -1;
}

[[noreturn]] void refuse_step(const std::string& line) {
  throw Error(ErrorCode::invalid, format("standard input: {} is not a step", quote(line)),
              "write lines like: run 100, run 0.2s, info")
      .with_id("usage.step");
}

Json info_line(const BenchRunner& runner, std::int64_t base_rss_bytes) {
  const RunnerFacts facts = runner.facts();
  return Json::object()
      .set("load_ms", facts.load_ms)
      .set("compile_ms", facts.compile_ms)
      .set("first_run_ms", facts.first_run_ms)
      .set("providers", Json::list_of(facts.providers))
      .set("fallback_nodes", facts.fallback_nodes)
      .set("weight_bytes", facts.weight_bytes)
      .set("arena_bytes", facts.arena_bytes)
      .set("base_rss_bytes", base_rss_bytes)
      .set("peak_rss_bytes", peak_resident_bytes_of_process());
}

/// Empty where no device tells.
Json device_line(BenchRunner& runner) {
  const std::optional<DeviceTimes> times = runner.device_times();
  return times ? device_block(*times) : Json::object();
}

/// A block of the given number of runs, or of as many as fit into the seconds.
RunnerBlock run_step(BenchRunner& runner, std::string_view wanted, const std::string& line) {
  std::int64_t runs = 0;
  if (read_integer(wanted, runs) && runs >= 1 && runs <= max_bench_runs) return runner.run(runs);
  double seconds = 0;
  const bool is_time =
      wanted.ends_with('s') && read_number(wanted.substr(0, wanted.size() - 1), seconds);
  if (!is_time || !(seconds > 0) || seconds > max_step_seconds) refuse_step(line);
  RunnerBlock block;
  while (block.wall_ms < seconds * 1e3) {
    const RunnerBlock piece = runner.run(1);
    block.samples_ms.insert(block.samples_ms.end(), piece.samples_ms.begin(),
                            piece.samples_ms.end());
    block.wall_ms += piece.wall_ms;
  }
  return block;
}

}  // namespace

std::int64_t resident_bytes() {
  return status_bytes("VmRSS:");
}

std::int64_t peak_resident_bytes_of_process() {
  return status_bytes("VmHWM:");
}

void answer_steps(const Invocation& invocation, BenchRunner& runner, std::int64_t base_rss_bytes) {
  StepReader reader(invocation.stop);
  for (std::string line; reader.next(line);) {
    invocation.stop.poll();
    if (line.empty()) continue;
    Json answer;
    if (line == "info") {
      answer = info_line(runner, base_rss_bytes);
    } else if (line == "device") {
      answer = device_line(runner);
    } else if (line.starts_with("run ")) {
      const RunnerBlock block = run_step(runner, std::string_view(line).substr(4), line);
      answer = Json::object()
                   .set("samples_ms", Json::list_of(block.samples_ms))
                   .set("wall_ms", block.wall_ms);
    } else {
      refuse_step(line);
    }
    write_to_stdout(answer.write_compact() + "\n");
  }
}

}  // namespace ortool
