// Buffer pools: reuse, limits on what is kept, and when it is freed.
#include "libcore/base/memory/buffer_pool.hpp"

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/base/memory/aligned_buffer.hpp"
#include "libcore/base/memory/memory_cap.hpp"

using ortool::AlignedBuffer;
using ortool::BufferPool;
using ortool::Error;
using ortool::MemoryCap;

namespace {

using Buffer = std::unique_ptr<AlignedBuffer>;

/// A buffer of the pool that counts against `cap`.
Buffer make_buffer(BufferPool& pool, std::int64_t bytes, MemoryCap* cap = nullptr) {
  const BufferPool::Scope scope(&pool);
  return std::make_unique<AlignedBuffer>(bytes, cap);
}

/// The size of a buffer of `bytes` with the padding behind its end.
constexpr std::int64_t padded(std::int64_t bytes) {
  return (bytes + 127) / 64 * 64;
}

}  // namespace

TEST_CASE("A buffer that was released serves the next request of about its size") {
  const auto pool = BufferPool::make(nullptr);
  Buffer first = make_buffer(*pool, 100'000);
  const std::byte* bytes = first->data();
  first.reset();
  CHECK(pool->free_bytes() == padded(100'000));
  CHECK(make_buffer(*pool, 60'000)->data() == bytes);
  CHECK(make_buffer(*pool, 40'000)->data() != bytes);
  first = make_buffer(*pool, 120'000);
  CHECK(first->data() != bytes);
  CHECK(pool->used_bytes() > 130'000);  // with room for a request that grows again
}

TEST_CASE("Of several free buffers the smallest that is large enough is taken") {
  const auto pool = BufferPool::make(nullptr);
  std::vector<Buffer> buffers;
  for (const std::int64_t size : {9000, 5000, 7000}) buffers.push_back(make_buffer(*pool, size));
  const std::byte* wanted = buffers[2]->data();
  buffers.clear();
  CHECK(make_buffer(*pool, 6000)->data() == wanted);
}

TEST_CASE("Free buffers and used ones together stay below twice what was used at most") {
  const unsigned seed = 3;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const auto pool = BufferPool::make(nullptr);
  std::int64_t most = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<Buffer> buffers;
    for (auto k = random() % 5; k > 0; --k) {
      buffers.push_back(make_buffer(*pool, static_cast<std::int64_t>(2000 + random() % 500'000)));
      most = std::max(most, pool->used_bytes());
      REQUIRE(pool->used_bytes() + pool->free_bytes() <= 2 * most);
    }
  }
}

TEST_CASE("A buffer that no run had use for is freed after some runs") {
  const auto pool = BufferPool::make(nullptr);
  make_buffer(*pool, 1'000'000);
  for (std::int64_t run = 0; run < BufferPool::max_idle_runs; ++run) {
    pool->begin_run();
    make_buffer(*pool, 2000);
  }
  CHECK(pool->free_bytes() == padded(1'000'000) + padded(2000));
  pool->begin_run();
  CHECK(pool->free_bytes() == padded(2000));
}

TEST_CASE("Free buffers make room where the cap has none left") {
  MemoryCap cap(1'000'000);
  const auto pool = BufferPool::make(&cap);
  make_buffer(*pool, 900'000, &cap);
  CHECK(cap.used_bytes() == padded(900'000));
  CHECK_NOTHROW(make_buffer(*pool, 400'000, &cap));
  CHECK(cap.used_bytes() == padded(400'000));
  CHECK_NOTHROW(AlignedBuffer(1'000'000, &cap));
  CHECK(cap.used_bytes() == 0);
  CHECK_THROWS_AS(make_buffer(*pool, 1'000'001, &cap), Error);
  CHECK(cap.used_bytes() == 0);
}

TEST_CASE("A block is freed where the cap has no room for keeping it") {
  MemoryCap cap(1'000'000);
  const auto pool = BufferPool::make(&cap);
  Buffer large = make_buffer(*pool, 600'000);  // not counted against the cap while in use
  const AlignedBuffer other(700'000, &cap);
  large.reset();
  CHECK(pool->free_bytes() == 0);
  CHECK(cap.used_bytes() == 700'000);
}

TEST_CASE("A request that grew fits without the room for the next ones") {
  MemoryCap cap(1'000'000);
  const auto pool = BufferPool::make(&cap);
  make_buffer(*pool, 800'000, &cap);
  CHECK_NOTHROW(make_buffer(*pool, 950'000, &cap));
}

TEST_CASE("Buffers stay valid after their pool is closed, and are freed then") {
  MemoryCap cap;
  auto pool = BufferPool::make(&cap);
  Buffer used = make_buffer(*pool, 50'000, &cap);
  make_buffer(*pool, 70'000, &cap);
  pool->close();
  CHECK(cap.used_bytes() == 50'000);
  pool.reset();
  used->as<char>()[49'999] = 1;
  used.reset();
  CHECK(cap.used_bytes() == 0);
}

TEST_CASE("Threads that share a pool never get the same buffer") {
  const unsigned seed = 7;
  INFO("seed " << seed);
  MemoryCap cap(4'000'000);
  const auto pool = BufferPool::make(&cap);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      std::mt19937 random(seed + thread);
      for (int i = 0; i < 3000; ++i) {
        const auto size = static_cast<std::int64_t>(1024 + random() % 200'000);
        const Buffer buffer = make_buffer(*pool, size, &cap);
        const auto mark = static_cast<unsigned>(i) * 4 + thread;
        *buffer->as<unsigned>() = mark;
        if (random() % 16 == 0) pool->release_kept();
        pool->begin_run();
        if (*buffer->as<unsigned>() != mark) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  pool->release_kept();
  CHECK(cap.used_bytes() == 0);
}
