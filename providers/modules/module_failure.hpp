// Failures inside modules: an exception that becomes ortool_provider_api.fail() at the border.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "providers/modules/ortool/provider_module.h"

namespace ortool::modules {

/// Header-only, since modules link nothing of ortool.
class ModuleFailure : public std::exception {
 public:
  ModuleFailure(ortool_provider_failure kind, std::string message)
      : kind_(kind), message_(std::move(message)) {}

  ortool_provider_failure kind() const { return kind_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  ortool_provider_failure kind_;
  std::string message_;
};

/// Calls `body`; what it throws ends the call with a failure.
template <typename Body>
int guarded_call(ortool_provider_call* call, Body body) {
  try {
    body();
    return 0;
  } catch (const ModuleFailure& failure) {
    return call->api->fail(call, failure.kind(), failure.what());
  } catch (const std::bad_alloc&) {
    return call->api->fail(call, ORTOOL_PROVIDER_MEMORY, "out of memory");
  } catch (const std::exception& error) {
    return call->api->fail(call, ORTOOL_PROVIDER_UNSUPPORTED, error.what());
  }
}

}  // namespace ortool::modules
