// Absent oneDNN: a provider that is unavailable, with the reason.
#pragma once

#include <string>
#include <utility>

#include "libcore/provider/provider.hpp"

namespace ortool::onednn {

class AbsentProvider : public Provider {
 public:
  explicit AbsentProvider(std::string reason) : reason_(std::move(reason)) {}

  std::string_view name() const override { return "onednn"; }
  std::string version() const override { return {}; }
  std::string unavailable_because() const override { return reason_; }
  Claims claims(const Graph&) const override { return {}; }
  KernelPtr compile(const NodeView&, const CompileContext&) const override {
    throw Error(ErrorCode::unsupported, reason_);
  }
  std::vector<KernelDescription> kernels() const override { return {}; }

 private:
  std::string reason_;
};

}  // namespace ortool::onednn
