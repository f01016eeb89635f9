// Unavailable provider: stands for one that cannot be used here, and says why.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "libcore/base/error.hpp"
#include "libcore/provider/provider.hpp"

namespace ortool {

class UnavailableProvider : public Provider {
 public:
  UnavailableProvider(std::string_view name, std::string reason)
      : name_(name), reason_(std::move(reason)) {}
  /// The reason of an error that loading the provider's library threw, with its hint.
  UnavailableProvider(std::string_view name, const Error& error)
      : UnavailableProvider(name, error.what()) {
    if (!error.hint().empty()) reason_ += "; " + error.hint();
  }

  std::string_view name() const override { return name_; }
  std::string version() const override { return {}; }
  std::string unavailable_because() const override { return reason_; }
  Claims claims(const Graph&) const override { return {}; }
  KernelPtr compile(const NodeView&, const CompileContext&) const override {
    throw Error(ErrorCode::unsupported, reason_);
  }
  std::vector<KernelDescription> kernels() const override { return {}; }

 private:
  std::string name_;
  std::string reason_;
};

}  // namespace ortool
