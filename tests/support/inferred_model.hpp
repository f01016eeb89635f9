// A model from text, with the types and shapes of its values inferred.
#pragma once

#include <memory>
#include <string_view>

#include "libcore/graph/model.hpp"

namespace ortool {

std::unique_ptr<Model> inferred_model(std::string_view text);

}  // namespace ortool
