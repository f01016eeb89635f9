// Element types: OpenVINO's numbers for ONNX's types, which differ between its versions.
#pragma once

#include <array>
#include <cstdint>

#include "providers/openvino/openvino_library.hpp"

namespace ortool::openvino {

/// OpenVINO's numbers by ONNX's; -1: not handed over.
class ElementTypes {
 public:
  ElementTypes() { numbers_.fill(-1); }
  /// Asks the library how it reads a model with an input of each type. Throws ModuleFailure.
  ElementTypes(const Library& library, const Core* core);

  int number(std::int32_t onnx_type) const {
    const bool is_in = onnx_type > 0 && onnx_type < static_cast<std::int32_t>(numbers_.size());
    return is_in ? numbers_[static_cast<std::size_t>(onnx_type)] : -1;
  }

 private:
  std::array<int, 32> numbers_{};
};

}  // namespace ortool::openvino
