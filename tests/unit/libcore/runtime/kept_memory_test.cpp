// Memory that a session keeps between runs: its limits, the cap, threads, and outputs still in use.
#include <atomic>
#include <random>
#include <thread>

#include <catch2/catch.hpp>

#include "tests/support/session_support.hpp"

using namespace ortool;

namespace {

constexpr std::string_view doubling = R"(
  <ir_version: 8, opset_import: ["" : 17]>
  g (float[N,256] x) => (float[N,256] y) { a = Add(x, x) b = Transpose<perm = [1,0]>(a)
                                           y = Transpose<perm = [1,0]>(b) })";

Tensor filled(std::int64_t rows, float value) {
  Tensor tensor(DataType::float32, Shape{rows, 256});
  for (float& each : tensor.mutable_data<float>()) each = value;
  return tensor;
}

bool is_filled(const RunValue& value, float expected) {
  for (const float each : value.tensor().data<float>()) {
    if (each != expected) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("The memory of a dropped output serves the next run") {
  const auto session = make_session(doubling);
  const std::byte* bytes = session->run({{"x", filled(40, 1)}}, {})[0].tensor().bytes();
  CHECK(session->kept_bytes() >= 40 * 256 * 4);
  CHECK(session->run({{"x", filled(40, 2)}}, {})[0].tensor().bytes() == bytes);
}

TEST_CASE("Outputs keep their content through later runs and after the session") {
  MemoryCap cap;
  auto session = make_session(doubling, cpu_options(nullptr, &cap));
  std::vector<std::vector<RunValue>> held;
  for (int run = 0; run < 10; ++run)
    held.push_back(session->run({{"x", filled(40, static_cast<float>(run))}}, {}));
  held.erase(held.begin() + 3);
  static_cast<void>(session->run({{"x", filled(40, 99)}}, {}));
  session.reset();
  CHECK(cap.used_bytes() == 9 * 40 * 256 * 4);
  for (std::size_t i = 0; i < held.size(); ++i)
    CHECK(is_filled(held[i][0], static_cast<float>(2 * (i < 3 ? i : i + 1))));
  held.clear();
  CHECK(cap.used_bytes() == 0);
}

TEST_CASE("Kept memory is freed on request") {
  MemoryCap cap;
  const auto session = make_session(doubling, cpu_options(nullptr, &cap));
  const std::int64_t before = cap.used_bytes();
  static_cast<void>(session->run({{"x", filled(400, 1)}}, {}));
  CHECK(cap.used_bytes() > before);
  session->release_kept_memory();
  CHECK(cap.used_bytes() == before);
  CHECK(session->kept_bytes() == 0);
}

TEST_CASE("Kept memory gives way where the memory limit has no more room") {
  constexpr std::int64_t large = 1000 * 256 * 4;
  MemoryCap cap(large * 5 / 2);
  const auto session = make_session(doubling, cpu_options(nullptr, &cap));
  const auto other = make_session(doubling, cpu_options(nullptr, &cap));
  for (int round = 0; round < 3; ++round) {
    CHECK(is_filled(session->run({{"x", filled(1000, 3)}}, {})[0], 6));
    CHECK(is_filled(other->run({{"x", filled(300, 4)}}, {})[0], 8));
    CHECK(is_filled(other->run({{"x", filled(1000, 5)}}, {})[0], 10));
  }
  CHECK_THROWS_AS(session->run({{"x", filled(4000, 1)}}, {}), Error);
  CHECK(is_filled(session->run({{"x", filled(1000, 3)}}, {})[0], 6));
}

TEST_CASE("Threads that keep outputs for a while share the memory of one session") {
  const unsigned seed = 11;
  INFO("seed " << seed);
  MemoryCap cap;
  auto session = make_session(doubling, cpu_options(nullptr, &cap));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      std::mt19937 random(seed + thread);
      std::vector<std::pair<RunValue, float>> held(5);
      for (int run = 0; run < 300; ++run) {
        const auto value = static_cast<float>(run * 4 + static_cast<int>(thread));
        const auto rows = static_cast<std::int64_t>(1 + random() % 60);
        auto& place = held[random() % held.size()];
        if (place.first.is_tensor() && !is_filled(place.first, 2 * place.second)) ++wrong;
        place = {session->run({{"x", filled(rows, value)}}, {})[0], value};
        if (random() % 32 == 0) session->release_kept_memory();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  session.reset();
  CHECK(cap.used_bytes() == 0);
}
