// Provider modules that are wrong, one kind for each value of ORTOOL_FAULT.
#include <cstdint>
#include <stdexcept>

#if ORTOOL_FAULT == 2
#define ortool_get_provider get_provider_by_another_name
#endif
#include "providers/modules/ortool/provider_module.h"

namespace {

int open_bad(ortool_provider_call*, const ortool_provider_setting*, std::size_t, void** state,
             const char** description) {
#if ORTOOL_FAULT == 5
  throw std::runtime_error("no");
#elif ORTOOL_FAULT == 6
  return 17;
#endif
  *state = nullptr;
  *description = "1";
  return 0;
}

void close_bad(void*) {}

int claim_bad(ortool_provider_call* call, void*, const ortool_provider_graph*) {
  static_cast<void>(call);
#if ORTOOL_FAULT == 7
  throw 1;
#elif ORTOOL_FAULT == 8
  return call->api->fail(call, ORTOOL_PROVIDER_UNSUPPORTED, "the claim failed");
#endif
  return 0;
}

int compile_bad(ortool_provider_call* call, void*, const ortool_provider_graph*, void** kernel) {
  static_cast<void>(call);
#if ORTOOL_FAULT == 9
  throw std::runtime_error("no");
#elif ORTOOL_FAULT == 10
  return call->api->fail(call, ORTOOL_PROVIDER_MEMORY, "the device has 16 GB, 40 GB are needed");
#endif
  *kernel = nullptr;
  return 0;
}

void release_bad(void*) {}

int run_bad(ortool_provider_call* call, void*, const ortool_provider_tensor* const*, std::size_t,
            std::size_t) {
  static_cast<void>(call);
#if ORTOOL_FAULT == 11
  throw std::runtime_error("no");
#elif ORTOOL_FAULT == 13
  const std::int64_t shape[] = {7};
  call->api->output(call, 0, 1, 1, shape);
#elif ORTOOL_FAULT == 14
  call->api->output(call, 5, 99, -3, nullptr);
#elif ORTOOL_FAULT == 15
  const std::int64_t shape[] = {INT64_MAX / 2, 2};
  call->api->output(call, 0, 1, 2, shape);
#endif
  return 0;
}

}  // namespace

const ortool_provider* ortool_get_provider() {
  static ortool_provider provider = {};
  provider.size = sizeof provider;
  provider.version = ORTOOL_PROVIDER_VERSION;
  provider.name = ORTOOL_NAME;
  provider.open = &open_bad;
  provider.close = &close_bad;
  provider.claim = &claim_bad;
  provider.compile = &compile_bad;
  provider.release = &release_bad;
  provider.run = &run_bad;
#if ORTOOL_FAULT == 1
  provider.version = 7;
#elif ORTOOL_FAULT == 3
  provider.run = nullptr;
#elif ORTOOL_FAULT == 4
  throw std::runtime_error("no");
#elif ORTOOL_FAULT == 16
  provider.size = 24;
#elif ORTOOL_FAULT == 17
  provider.name = "another";
#elif ORTOOL_FAULT == 18
  return nullptr;
#endif
  return &provider;
}
