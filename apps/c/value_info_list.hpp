// Value info of the C interface: names and types of inputs and outputs.
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "apps/c/ortool/ortool.h"
#include "libcore/graph/value.hpp"

namespace ortool::c {

/// The structs stay where they are as long as the list lives.
class ValueInfoList {
 public:
  ValueInfoList() = default;
  explicit ValueInfoList(std::span<Value* const> values);

  const ortool_value_info* const* data() const { return pointers_.data(); }
  std::size_t size() const { return pointers_.size(); }
  const ortool_value_info& operator[](std::size_t index) const { return *pointers_[index]; }

 private:
  struct Entry {
    std::string name;
    std::string type_text;
    std::vector<std::int64_t> shape;
    std::vector<std::string> symbols;
    std::vector<const char*> symbol_texts;
    ortool_value_info info = {};
  };

  std::deque<Entry> entries_;
  std::vector<const ortool_value_info*> pointers_;
};

}  // namespace ortool::c
