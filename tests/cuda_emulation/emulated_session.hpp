// Emulated session: a model on the cuda provider with an emulated device, for unit tests.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/format.hpp"
#include "providers/cpu/cpu_provider.hpp"
#include "providers/cuda/cuda_provider.hpp"
#include "tests/cuda_emulation/emulated_device.hpp"
#include "tests/support/session_support.hpp"

namespace ortool::test {

/// "{3, -2}": as many integers, drawn from a range, for the text of a model.
inline std::string drawn(std::size_t count, int low, int high, unsigned seed) {
  std::mt19937 generator(seed);
  std::string text = "{";
  for (std::size_t i = 0; i < count; ++i) {
    const auto range = static_cast<unsigned>(high - low + 1);
    text += format("{}{}", i == 0 ? "" : ", ", low + static_cast<int>(generator() % range));
  }
  return text + "}";
}

/// A session on an emulated device, and the device.
struct EmulatedSession {
  std::shared_ptr<EmulatedDevice> device;
  std::unique_ptr<Session> session;

  explicit EmulatedSession(std::string_view text, EmulationOptions emulation = {},
                           std::string_view options = {}, SessionOptions session_options = {}) {
    device = std::make_shared<EmulatedDevice>(emulation);
    session_options.providers = {
        cuda::make_provider_on([this](std::int64_t, std::int64_t) { return device; }, options),
        make_cpu_provider()};
    session = make_session(text, std::move(session_options));
  }

  Tensor run(const NamedValues& inputs) const { return session->run(inputs, {})[0].tensor(); }
  std::vector<std::string> providers() const {
    std::vector<std::string> names;
    for (const Placement& placement : session->placement()) names.push_back(placement.provider);
    return names;
  }
};

}  // namespace ortool::test
