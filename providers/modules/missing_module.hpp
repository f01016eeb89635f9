// Missing module: the provider of a module that cannot be used here, with the reason.
#pragma once

#include <string>
#include <string_view>

#include "libcore/base/error.hpp"
#include "libcore/provider/provider.hpp"

namespace ortool::modules {

class MissingModule : public Provider {
 public:
  MissingModule(std::string_view name, std::string reason)
      : name_(name), reason_(std::move(reason)) {}
  /// The reason of an error that loading the module threw, with its hint.
  MissingModule(std::string_view name, const Error& error) : MissingModule(name, error.what()) {
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

}  // namespace ortool::modules
