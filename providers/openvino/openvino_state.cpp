// State of the openvino module: settings, devices and properties.
#include "providers/openvino/openvino_state.hpp"

#include <algorithm>
#include <cstring>

#include "providers/modules/module_failure.hpp"

namespace ortool::openvino {
namespace {

using modules::ModuleFailure;

constexpr const char* group_size_key = "DYNAMIC_QUANTIZATION_GROUP_SIZE";

std::string setting_or_empty(const ortool_provider_setting* settings, std::size_t count,
                             const char* key) {
  std::string value;
  for (std::size_t i = 0; i < count; ++i) {
    if (std::strcmp(settings[i].key, key) == 0) value = settings[i].value;
  }
  return value;
}

/// "GPU" of "GPU.1", "AUTO" of "AUTO:CPU,GPU".
std::string kind_of(const std::string& device) {
  return device.substr(0, device.find_first_of(".:,("));
}

}  // namespace

State::State(const ortool_provider_call& call, const ortool_provider_setting* settings,
             std::size_t count)
    : library_(setting_or_empty(settings, count, "library")) {
  library_.check(functions().core_create(&core_), ORTOOL_PROVIDER_UNAVAILABLE,
                 "OpenVINO " + library_.version() + " does not start");
  try {
    const std::string device = setting_or_empty(settings, count, "device");
    if (!device.empty()) device_ = device;
    check_device();
    bool has_precision = false;
    bool has_group_size = false;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string key = settings[i].key;
      if (key == "device" || key == "library") continue;
      has_precision = has_precision || key == "INFERENCE_PRECISION_HINT";
      has_group_size = has_group_size || key == group_size_key;
      has_threads_ = has_threads_ || key == "INFERENCE_NUM_THREADS";
      set_property(key, settings[i].value);
    }
    const std::string kind = kind_of(device_);
    if (!has_precision && (kind == "CPU" || kind == "GPU")) {
      set_property("INFERENCE_PRECISION_HINT",
                   std::strcmp(call.precision, "bfloat16") == 0 ? "bf16" : "f32");
    }
    if (!has_group_size && kind == "CPU") {
      // OpenVINO would round the other operand of 4-bit weights to 8 bits. Versions without the
      // property do not.
      static_cast<void>(functions().core_set_property(core_, "CPU", group_size_key, "0"));
    }
    types_ = ElementTypes(library_, core_);
  } catch (...) {
    functions().core_free(core_);
    throw;
  }
  description_ = library_.version() + " " + device_;
}

State::~State() {
  functions().core_free(core_);
}

void State::check_device() const {
  DeviceList devices{};
  library_.check(functions().core_get_available_devices(core_, &devices),
                 ORTOOL_PROVIDER_UNAVAILABLE, "OpenVINO's devices are not known");
  const std::string kind = kind_of(device_);
  std::string all;
  bool is_there = false;
  for (std::size_t i = 0; i < devices.count; ++i) {
    all += (all.empty() ? "" : ", ") + std::string(devices.names[i]);
    is_there = is_there || kind_of(devices.names[i]) == kind;
  }
  functions().available_devices_free(&devices);
  const bool is_virtual = kind == "AUTO" || kind == "HETERO" || kind == "MULTI" || kind == "BATCH";
  if (is_there || is_virtual) return;
  throw ModuleFailure(
      ORTOOL_PROVIDER_UNAVAILABLE,
      "OpenVINO " + library_.version() + " has no device '" + device_ + "' here; it has " + all);
}

void State::set_property(const std::string& key, const std::string& value) {
  library_.check(
      functions().core_set_property(core_, kind_of(device_).c_str(), key.c_str(), value.c_str()),
      ORTOOL_PROVIDER_INVALID, "OpenVINO refuses " + key + "=" + value + " for " + device_);
}

const std::string* State::find_answer(const std::string& kind) const {
  const std::lock_guard lock(mutex_);
  const auto found = answers_.find(kind);
  return found != answers_.end() ? &found->second : nullptr;
}

void State::keep_answer(const std::string& kind, std::string answer) {
  const std::lock_guard lock(mutex_);
  answers_.try_emplace(kind, std::move(answer));
}

}  // namespace ortool::openvino
