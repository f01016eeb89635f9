// Timing caches of the cuda provider: kept, shared by writers, and not believed when damaged.
#include "providers/cuda/device/timing_cache.hpp"

#include <filesystem>
#include <thread>

#include <catch2/catch.hpp>

#include "libcore/base/file/atomic_file.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "providers/cuda/cuda_provider.hpp"
#include "tests/cuda_emulation/emulated_device.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace ortool;
using cuda::ConvChoice;
using cuda::ConvDesc;
using cuda::TimingCache;
using test::ScratchFolder;

namespace {

ConvDesc conv_of(std::int64_t channels) {
  ConvDesc desc;
  desc.in_channels = channels;
  desc.kernel[0] = 3;
  return desc;
}

void replace_in(const std::string& path, std::string_view from, std::string_view to) {
  std::string text = read_text_file(path, 1 << 20);
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
  write_file(path, text);
}

}  // namespace

TEST_CASE("a timing cache has the choices of earlier processes with the same device") {
  const ScratchFolder scratch;
  const std::string folder = scratch.path() + "/new";
  TimingCache first(folder, "GPU, driver 1, cuDNN 9.1");
  CHECK(first.store().empty());
  CHECK_FALSE(std::filesystem::exists(folder));
  first.add(conv_of(3), {1, true});
  CHECK(first.find(conv_of(3)) == ConvChoice{1, true});
  CHECK(first.store().empty());

  const TimingCache second(folder, "GPU, driver 1, cuDNN 9.1");
  CHECK(second.find(conv_of(3)) == ConvChoice{1, true});
  CHECK_FALSE(second.find(conv_of(4)).has_value());
  ConvDesc with_bias = conv_of(3);
  with_bias.has_bias = true;
  CHECK_FALSE(second.find(with_bias).has_value());
  // Another library, another file.
  const TimingCache other(folder, "GPU, driver 1, cuDNN 9.2");
  CHECK_FALSE(other.find(conv_of(3)).has_value());
  CHECK(other.path() != second.path());
}

TEST_CASE("a damaged or foreign timing cache counts as empty, and is replaced") {
  const ScratchFolder scratch;
  const auto written = [&] {
    TimingCache cache(scratch.path(), "GPU");
    cache.add(conv_of(3), {1, true});
    REQUIRE(cache.store().empty());
    return cache.path();
  };
  const auto is_believed = [&] {
    return TimingCache(scratch.path(), "GPU").find(conv_of(3)).has_value();
  };
  const std::string path = written();
  CHECK(is_believed());
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"\"algorithm\": 1", "\"algorithm\": 2"},
                                                        {"true", "false"},
                                                        {"\"GPU\"", "\"another\""},
                                                        {"\"version\": 1", "\"version\": 2"},
                                                        {"{", "["},
                                                        {"\"choices\"", "\"choice\""}}) {
    written();
    replace_in(path, from, to);
    INFO(from << " -> " << to);
    CHECK_FALSE(is_believed());
  }
  for (const std::string text : {"", "{}", "null", "{\"choices\": 3, \"checksum\": \"\"}"}) {
    write_file(path, text);
    CHECK_FALSE(is_believed());
  }
  written();
  CHECK(is_believed());
}

TEST_CASE("writers of one timing cache keep what others have written") {
  const ScratchFolder scratch;
  TimingCache a(scratch.path(), "GPU");
  TimingCache b(scratch.path(), "GPU");
  a.add(conv_of(1), {1, true});
  b.add(conv_of(2), {2, false});
  CHECK(a.store().empty());
  CHECK(b.store().empty());
  const TimingCache both(scratch.path(), "GPU");
  CHECK(both.find(conv_of(1)) == ConvChoice{1, true});
  CHECK(both.find(conv_of(2)) == ConvChoice{2, false});

  std::vector<std::thread> threads;
  for (std::int64_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      TimingCache own(scratch.path(), "GPU");
      for (std::int64_t i = 0; i < 10; ++i) {
        own.add(conv_of(100 * thread + i + 10), {7, true});
        own.store();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  // Whole, whoever was last.
  CHECK(TimingCache(scratch.path(), "GPU").find(conv_of(1)) == ConvChoice{1, true});
}

TEST_CASE("a timing cache that cannot be written says why") {
  const ScratchFolder scratch;
  std::filesystem::create_directories(scratch.path());
  write_file(scratch.path() + "/file", "");
  TimingCache cache(scratch.path() + "/file", "GPU");
  cache.add(conv_of(1), {1, true});
  CHECK_FALSE(cache.store().empty());
  CHECK(cache.find(conv_of(1)).has_value());
}

TEST_CASE("cuda.tune keeps timings in the cache folder, if there is one") {
  const auto folder_of = [](std::string_view options, const std::string& cache_dir) {
    const auto device = std::make_shared<test::EmulatedDevice>();
    cuda::make_provider_on([&](std::int64_t, std::int64_t) { return device; }, options, cache_dir);
    return device->timings_folder();
  };
  CHECK(folder_of("tune=on", "/tmp/here") == "/tmp/here");
  CHECK(folder_of("tune=off", "/tmp/here").empty());
  CHECK(folder_of("tune=on", "").empty());
}
