// Provider settings: reads KEY=VALUE pairs.
#include "providers/cuda/provider_settings.hpp"

#include <array>
#include <charconv>
#include <optional>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/strings/unknown_name.hpp"

namespace ortool::cuda {
namespace {

[[noreturn]] void fail_value(std::string_view key, std::string_view value,
                             std::string_view wanted) {
  throw Error(ErrorCode::invalid,
              format("option --provider-option: cuda.{} is '{}' (expected {})", key, value, wanted))
      .with_id("usage.provider_option");
}

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

/// "2G", "500M", "1048576".
std::optional<std::int64_t> bytes_of_text(std::string_view text) {
  constexpr std::string_view units = "KMGT";
  std::int64_t factor = 1;
  if (!text.empty()) {
    const std::size_t unit = units.find(text.back());
    if (unit != std::string_view::npos) {
      factor = std::int64_t{1} << (10 * (unit + 1));
      text.remove_suffix(1);
    }
  }
  const std::optional<std::int64_t> number = number_of(text);
  constexpr std::int64_t most = std::int64_t{1} << 50;
  if (!number || *number > most / factor) return std::nullopt;
  return *number * factor;
}

DevicePrecision precision_of(std::string_view value) {
  if (value == "float32") return DevicePrecision::float32;
  if (value == "tf32") return DevicePrecision::tf32;
  if (value == "float16") return DevicePrecision::float16;
  if (value == "bfloat16") return DevicePrecision::bfloat16;
  fail_value("precision", value, "float32, tf32, float16 or bfloat16");
}

Choice choice_of(std::string_view key, std::string_view value) {
  if (value == "auto") return Choice::automatic;
  if (value == "on") return Choice::on;
  if (value == "off") return Choice::off;
  fail_value(key, value, "auto, on or off");
}

bool switch_of(std::string_view key, std::string_view value) {
  if (value == "on" || value == "off") return value == "on";
  fail_value(key, value, "on or off");
}

void set(ProviderSettings& settings, std::string_view key, std::string_view value) {
  if (key == "device") {
    const std::optional<std::int64_t> number = number_of(value);
    if (!number) fail_value(key, value, "the number of a GPU, from 0 on");
    settings.device = *number;
  } else if (key == "memory-limit") {
    const std::optional<std::int64_t> bytes = bytes_of_text(value);
    if (!bytes) fail_value(key, value, "a number of bytes, such as 500M or 2G");
    settings.memory_limit = *bytes;
  } else if (key == "precision") {
    settings.plan.precision = precision_of(value);
  } else if (key == "channels-last") {
    settings.plan.channels_last = choice_of(key, value);
  } else if (key == "pointwise-products") {
    settings.plan.has_pointwise_products = switch_of(key, value);
  } else if (key == "depthwise-kernel") {
    settings.plan.has_depthwise_kernel = switch_of(key, value);
  } else if (key == "tensor-attention") {
    settings.plan.has_tensor_attention = switch_of(key, value);
  } else if (key == "merge-products") {
    settings.plan.merges_products = switch_of(key, value);
  } else if (key == "vectors") {
    settings.plan.has_vectors = switch_of(key, value);
  } else if (key == "recurrent-kernel") {
    settings.plan.has_recurrent_kernel = switch_of(key, value);
  } else if (key == "tune") {
    settings.plan.tunes = switch_of(key, value);
  } else {
    static const std::array<std::string, 11> known = {"device",
                                                      "memory-limit",
                                                      "precision",
                                                      "channels-last",
                                                      "depthwise-kernel",
                                                      "merge-products",
                                                      "pointwise-products",
                                                      "recurrent-kernel",
                                                      "tensor-attention",
                                                      "tune",
                                                      "vectors"};
    throw unknown_name("option of provider cuda", key, "options", known);
  }
}

}  // namespace

ProviderSettings read_settings(std::string_view options) {
  ProviderSettings settings;
  while (!options.empty()) {
    const std::size_t comma = options.find(',');
    const std::string_view pair = options.substr(0, comma);
    options.remove_prefix(comma == std::string_view::npos ? options.size() : comma + 1);
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) fail_value(pair, "", "KEY=VALUE");
    set(settings, pair.substr(0, equals), pair.substr(equals + 1));
  }
  return settings;
}

}  // namespace ortool::cuda
