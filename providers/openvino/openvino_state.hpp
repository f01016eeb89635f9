// State of the openvino module: the library, its core with the user's settings, and the device.
#pragma once

#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "providers/modules/ortool/provider_module.h"
#include "providers/openvino/element_types.hpp"
#include "providers/openvino/openvino_library.hpp"

namespace ortool::openvino {

class State {
 public:
  /// Throws ModuleFailure.
  State(const ortool_provider_call& call, const ortool_provider_setting* settings,
        std::size_t count);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  const Library& library() const { return library_; }
  const Functions& functions() const { return library_.functions(); }
  const Core* core() const { return core_; }
  const ElementTypes& types() const { return types_; }
  const std::string& device() const { return device_; }
  bool is_cpu() const { return device_.compare(0, 3, "CPU") == 0; }
  bool sets_threads() const { return is_cpu() && !has_threads_; }
  const std::string& description() const { return description_; }

  /// Why OpenVINO does not read a node of this kind, as found before; null: not asked yet. The
  /// library is asked once for each text that says what the node is.
  const std::string* find_answer(const std::string& kind) const;
  void keep_answer(const std::string& kind, std::string answer);

 private:
  void check_device() const;
  void set_property(const std::string& key, const std::string& value);

  Library library_;
  Core* core_ = nullptr;
  std::string device_ = "CPU";
  bool has_threads_ = false;  ///< the user has set them
  ElementTypes types_;
  std::string description_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::string> answers_;
};

}  // namespace ortool::openvino
