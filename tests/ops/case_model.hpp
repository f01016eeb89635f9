// An operator case as a model.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "libcore/graph/model.hpp"
#include "tests/ops/case_file.hpp"

namespace ortool::test {

/// Which inputs become constants: those from `first_constant` on.
struct ConstantMode {
  std::string_view name;
  std::size_t first_constant;
};

/// All inputs given at run time, all but the first constant, all constant; without duplicates.
std::vector<ConstantMode> modes_of(const OpCase& each);

std::unique_ptr<Model> make_model(const OpCase& each, const ConstantMode& mode);

}  // namespace ortool::test
