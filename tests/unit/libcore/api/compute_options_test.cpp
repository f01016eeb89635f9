// Providers, threads and limits of a call: given ones and defaults.
#include "libcore/api/compute_options.hpp"

#include <catch2/catch.hpp>

#include "providers/provider_list.hpp"

namespace ortool {

TEST_CASE("a scope takes the caller's limits, or has none") {
  ComputeOptions options;
  options.providers = default_providers();
  ComputeScope alone(options);
  CHECK(alone.task().memory.limit_bytes() == 0);
  CHECK_FALSE(alone.task().stop.is_requested());
  CHECK(alone.pool().size() == 1);

  MemoryCap memory(1 << 20);
  StopToken stop;
  ThreadPool pool(2);
  std::string warned;
  options.memory = &memory;
  options.stop = &stop;
  options.pool = &pool;
  options.on_warning = [&](std::string_view text) { warned = text; };
  ComputeScope given(options);
  CHECK(&given.task().memory == &memory);
  CHECK(&given.task().stop == &stop);
  CHECK(&given.pool() == &pool);
  given.task().warn("odd");
  CHECK(warned == "odd");
}

TEST_CASE("calls that need a provider and a thread refuse to go without") {
  ComputeOptions options;
  CHECK_THROWS_AS(ComputeScope(options), Error);
  CHECK_NOTHROW(ComputeScope(options, false));
  options.threads = 0;
  CHECK_THROWS_AS(ComputeScope(options, false), Error);
}

TEST_CASE("the default providers can be used, and cpu is the last of them") {
  const auto providers = default_providers();
  REQUIRE_FALSE(providers.empty());
  CHECK(providers.back()->name() == "cpu");
  for (const auto& provider : providers) CHECK(provider->unavailable_because().empty());
}

TEST_CASE("options of sessions hold what the caller computes with") {
  ComputeOptions options;
  options.providers = default_providers();
  options.threads = 3;
  StopToken stop;
  options.stop = &stop;
  const SessionOptions session = session_options(options);
  CHECK(session.providers == options.providers);
  CHECK(session.threads == 3);
  CHECK(session.stop == &stop);
  CHECK(session.pool == nullptr);
  CHECK(session.cap == nullptr);
}

}  // namespace ortool
