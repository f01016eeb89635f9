// Reads the settings of run --loop auto, and finds the decoders beside an encoder.
#include "apps/ortool/run/loop_plan.hpp"

#include <algorithm>
#include <filesystem>
#include <span>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/parse_number.hpp"

namespace ortool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view automatic = "auto";
constexpr std::string_view decoder_key = "decoder=";
constexpr std::string_view start_key = "start=";
constexpr std::string_view end_key = "end=";
constexpr std::string_view encoder_stem = "encoder_model";

bool is_file(const fs::path& path) {
  std::error_code failure;
  return fs::is_regular_file(path, failure);
}

std::vector<std::int64_t> read_tokens(std::string_view text, std::string_view key) {
  std::vector<std::int64_t> tokens;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::int64_t token = 0;
    if (!read_integer(text.substr(0, comma), token) || token < 0) {
      throw Error(
          ErrorCode::invalid,
          format("option --loop: {} is not a list of tokens", quote(format("{}{}", key, text))),
          format("write it like --loop {}50258,50359", key))
          .with_id("usage.value");
    }
    tokens.push_back(token);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return tokens;
}

[[noreturn]] void refuse_rule(const std::string& text) {
  throw Error(ErrorCode::invalid,
              format("option --loop: {} has no effect with --loop auto", quote(text)),
              "leave one of them out; auto takes decoder=FILE, start=TOKENS and end=TOKENS")
      .with_id("usage.value");
}

}  // namespace

LoopPlan read_loop_plan(const OptionValues& options) {
  LoopPlan plan;
  if (!options.has("loop")) return plan;
  const std::span<const std::string> texts = options.all("loop");
  for (const std::string& text : texts) {
    if (text == automatic || text.starts_with(decoder_key)) plan.is_automatic = true;
  }
  if (!plan.is_automatic) return plan;
  for (const std::string& text : texts) {
    const std::string_view view = text;
    if (view.starts_with(decoder_key)) {
      plan.decoders.emplace_back(view.substr(decoder_key.size()));
    } else if (view.starts_with(start_key)) {
      plan.start = read_tokens(view.substr(start_key.size()), start_key);
    } else if (view.starts_with(end_key)) {
      plan.end = read_tokens(view.substr(end_key.size()), end_key);
    } else if (view != automatic) {
      refuse_rule(text);
    }
  }
  if (plan.decoders.size() <= 2) return plan;
  throw Error(ErrorCode::invalid,
              format("option --loop: {} decoders are given (at most 2: for the first step, and "
                     "for the later ones)",
                     plan.decoders.size()))
      .with_id("usage.value");
}

std::string first_model_of_loop(const LoopPlan& plan, const std::string& model) {
  if (!plan.is_automatic) return model;
  const fs::path folder = model;
  if (is_file(folder / "model.onnx")) return model;
  for (const fs::path& place : {folder, folder / "onnx"}) {
    const fs::path encoder = place / "encoder_model.onnx";
    if (is_file(encoder)) return encoder.string();
  }
  return model;
}

std::vector<std::string> find_decoders(const LoopPlan& plan, const std::string& encoder) {
  if (!plan.decoders.empty()) return plan.decoders;
  const fs::path path = encoder;
  const std::string stem = path.stem().string();
  if (!stem.starts_with(encoder_stem)) return {};
  // "_quantized", "_fp16" and the like follow the name of each part.
  const std::string ending = stem.substr(encoder_stem.size()) + ".onnx";
  const fs::path folder = path.parent_path();
  const fs::path merged = folder / ("decoder_model_merged" + ending);
  if (is_file(merged)) return {merged.string()};
  const fs::path first = folder / ("decoder_model" + ending);
  const fs::path later = folder / ("decoder_with_past_model" + ending);
  if (is_file(first) && is_file(later)) return {first.string(), later.string()};
  if (is_file(first)) return {first.string()};
  throw Error(ErrorCode::invalid,
              format("{}: there is no decoder beside this encoder (neither {} nor {})",
                     shorten(encoder), merged.filename().string(), first.filename().string()),
              "give it: --loop decoder=FILE")
      .with_id("file.kind");
}

}  // namespace ortool
