// GPU provider: the module cuda on the GPU of this machine, for programs of tests.
#pragma once

#include <memory>
#include <string_view>

#include "libcore/provider/provider.hpp"

namespace ortool::test {

/// `options` are pairs KEY=VALUE, separated by commas.
std::shared_ptr<const Provider> make_gpu_provider(std::string_view options);

}  // namespace ortool::test
