// Benchmark of engine overhead: time and allocations per node, wake-up, two sessions at once.
//   engine_bench MODEL [MODEL2]    the models take float inputs of fixed shapes
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/onnx/read/load.hpp"
#include "libcore/text/parse.hpp"
#include "tests/support/session_support.hpp"

namespace {

std::atomic<std::int64_t> allocations{0};

}  // namespace

extern "C" void* __libc_malloc(std::size_t bytes);
extern "C" void* malloc(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(bytes);
}

namespace ortool {
namespace {

using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// A chain of cheap nodes, none of which fuses with the next.
std::string chain(int nodes) {
  std::string text =
      "<ir_version: 8, opset_import: [\"\": 17]>\nchain (float[4] v0) => (float[4] v" +
      std::to_string(nodes) + ") {\n";
  for (int i = 0; i < nodes; ++i) {
    text += "v" + std::to_string(i + 1) + (i % 2 == 0 ? " = Neg(v" : " = Floor(v") +
            std::to_string(i) + ")\n";
  }
  return text + "}\n";
}

void show_nodes() {
  for (const int nodes : {10, 100, 1000, 10000}) {
    const std::unique_ptr<Session> session = make_session(chain(nodes));
    const NamedValues inputs = {{"v0", vector_of({1, 2, 3, 4})}};
    for (int i = 0; i < 20; ++i) session->run(inputs, {});
    const std::int64_t before = allocations.load();
    session->run(inputs, {});
    const std::int64_t count = allocations.load() - before;
    std::vector<double> times;
    for (int i = 0; i < 200; ++i) {
      const auto begin = Clock::now();
      session->run(inputs, {});
      times.push_back(microseconds_since(begin));
    }
    std::printf("%6d nodes: %.3f us a node with its kernel, %lld allocations a run\n", nodes,
                median(times) / nodes, static_cast<long long>(count));
  }
}

/// Overhead of two parallel tasks of 0.3 ms after 50 ms of sleep.
void show_waking() {
  ThreadPool pool(2);
  std::vector<double> lost;
  for (int i = 0; i < 60; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const auto begin = Clock::now();
    Workers workers(pool, 2);
    workers.parallel_for(2, [](std::int64_t) {
      const auto start = Clock::now();
      while (microseconds_since(start) < 300) {
      }
    });
    lost.push_back(microseconds_since(begin) - 300);
  }
  std::sort(lost.begin(), lost.end());
  std::printf("waking after 50 ms: %.0f us at the median, %.0f us in 9 of 10\n", lost[30],
              lost[54]);
}

struct Loaded {
  std::unique_ptr<Session> session;
  NamedValues inputs;
};

Loaded load(const char* path, ThreadPool& pool) {
  Loaded loaded;
  loaded.session = std::make_unique<Session>(load_model(path), cpu_options(&pool));
  for (const Value* input : loaded.session->inputs()) {
    std::vector<std::int64_t> sizes;
    ORTOOL_CHECK(input->type().shape.has_value());
    for (const Dimension& dimension : *input->type().shape)
      sizes.push_back(dimension.is_known() ? dimension.number() : 1);
    loaded.inputs.emplace_back(input->name(), random_tensor(Shape(sizes), 1));
  }
  return loaded;
}

void show_two_sessions(const char* first_path, const char* second_path) {
  constexpr double round_microseconds = 200'000;
  constexpr int rounds = 7;
  ThreadPool pool(2);
  const Loaded first = load(first_path, pool);
  const Loaded second = load(second_path, pool);
  const RunOptions options{.threads = 2};
  int runs = 20;
  const auto run_all = [&](const Loaded& loaded) {
    for (int i = 0; i < runs; ++i) loaded.session->run(loaded.inputs, options);
  };
  run_all(first);
  run_all(second);
  const auto trial = Clock::now();
  run_all(first);
  run_all(second);
  runs = std::max(1, static_cast<int>(runs * round_microseconds / microseconds_since(trial)));
  std::vector<double> ratios;
  for (int round = 0; round < rounds; ++round) {
    auto begin = Clock::now();
    run_all(first);
    run_all(second);
    const double in_turn = microseconds_since(begin);
    begin = Clock::now();
    std::thread other([&] { run_all(second); });
    run_all(first);
    other.join();
    ratios.push_back(in_turn / microseconds_since(begin));
  }
  std::printf("two sessions one after the other / in two threads: %.2f\n", median(ratios));
}

}  // namespace
}  // namespace ortool

int main(int count, char** arguments) {
  try {
    ortool::show_nodes();
    ortool::show_waking();
    if (count > 1) ortool::show_two_sessions(arguments[1], arguments[count - 1]);
  } catch (const ortool::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
  return 0;
}
