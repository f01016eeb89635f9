// Named tensor: an output of a model with its name.
#pragma once

#include <string>

#include "libcore/tensor/tensor.hpp"

namespace ortool {

struct NamedTensor {
  std::string name;
  const Tensor* tensor = nullptr;
};

}  // namespace ortool
