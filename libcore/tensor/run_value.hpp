// RunValue: the content of a value in a run (tensor, sequence, map, or an empty optional).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// A value type: copies share their content, which is never modified once shared. An optional with
/// a value is represented by that value; an empty one is `none`.
class RunValue {
 public:
  enum class Kind { none, tensor, sequence, map };

  RunValue() = default;
  RunValue(Tensor tensor);  // NOLINT(google-explicit-constructor): a tensor is the usual case
  static RunValue sequence(std::vector<RunValue> elements);
  /// Keys (int64 or string) and values: one-dimensional tensors of equal length.
  static RunValue map(Tensor keys, Tensor values);

  Kind kind() const { return kind_; }
  bool is_none() const { return kind_ == Kind::none; }
  bool is_tensor() const { return kind_ == Kind::tensor; }
  bool is_sequence() const { return kind_ == Kind::sequence; }
  bool is_map() const { return kind_ == Kind::map; }

  /// Throws ErrorCode::invalid when it holds something else.
  const Tensor& tensor() const;
  std::span<const RunValue> elements() const;
  const Tensor& keys() const;
  const Tensor& map_values() const;

  /// A copy in which every tensor that is a view of foreign memory is copied, so that it can be
  /// kept.
  RunValue owned(MemoryCap* cap = nullptr) const;
  /// "float32[2x3]", "sequence of 3", "map of 4", "nothing".
  std::string describe() const;

 private:
  Kind kind_ = Kind::none;
  Tensor tensor_;  ///< of a map: the keys
  std::shared_ptr<const std::vector<RunValue>> elements_;
  std::shared_ptr<const Tensor> map_values_;
};

}  // namespace ortool
