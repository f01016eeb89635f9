// Timing cache: the algorithms that trials on a device have found to be the fastest, in a file.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "providers/cuda/device/device.hpp"

namespace ortool::cuda {

/// The fastest way to compute a convolution.
struct ConvChoice {
  std::int32_t algorithm = 0;  ///< the library's number
  bool is_fused = false;       ///< with its epilogue in one call

  bool operator==(const ConvChoice&) const = default;
};

/// Choices are hints: whoever finds one has to ask the library whether it still has the algorithm.
/// Thread-safe; several processes may use one folder.
class TimingCache {
 public:
  /// `device` describes everything on which times depend: the device, its driver and the versions
  /// of libraries; each has a file of its own in `folder`. A file that is missing, damaged, or of
  /// something else counts as empty, and is replaced by store().
  TimingCache(const std::string& folder, std::string device);

  std::optional<ConvChoice> find(const ConvDesc& desc) const;
  void add(const ConvDesc& desc, const ConvChoice& choice);
  /// Writes what was added since the last call, beside what other processes have written
  /// meanwhile. Makes the folder if it is missing. Returns why that failed; empty: it did not, or
  /// there was nothing to write.
  std::string store();
  const std::string& path() const { return path_; }

 private:
  /// By the text of the convolution.
  using Choices = std::map<std::string, ConvChoice>;
  Choices read() const;
  std::string text_of(const Choices& choices) const;

  std::string folder_;
  std::string device_;
  std::string path_;
  mutable std::mutex mutex_;
  Choices choices_;
  bool has_more_ = false;  ///< than the file
};

}  // namespace ortool::cuda
