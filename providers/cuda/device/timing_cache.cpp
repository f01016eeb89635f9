// Timing cache: a JSON document with its own checksum, replaced as a whole.
#include "providers/cuda/device/timing_cache.hpp"

#include <filesystem>
#include <span>
#include <system_error>

#include "libcore/base/error.hpp"
#include "libcore/base/file/atomic_file.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/log.hpp"
#include "libcore/base/sha256.hpp"
#include "libcore/json/json.hpp"

namespace ortool::cuda {
namespace {

constexpr std::int64_t format_version = 1;
constexpr std::int64_t max_file_bytes = std::int64_t{4} << 20;
constexpr std::size_t max_choices = 10'000;
constexpr std::int32_t max_algorithm = 1000;

std::string digest_of(std::string_view text) {
  return sha256_of(std::as_bytes(std::span(text.data(), text.size())));
}

std::string pair_of(const std::int64_t (&sizes)[2]) {
  return format("{}x{}", sizes[0], sizes[1]);
}

/// All that the time of a convolution depends on.
std::string text_of_conv(const ConvDesc& desc) {
  std::string text =
      format("type {} batch {} groups {} channels {} {} in {} out {} kernel {} stride {}",
             desc.type, desc.batch, desc.groups, desc.in_channels, desc.out_channels,
             pair_of(desc.in), pair_of(desc.out), pair_of(desc.kernel), pair_of(desc.stride));
  text += format(" dilation {} pad {}", pair_of(desc.dilation), pair_of(desc.pad));
  if (desc.has_bias) text += " bias";
  if (desc.has_addend) text += " addend";
  if (desc.has_relu) text += " relu";
  if (desc.uses_tf32) text += " tf32";
  if (desc.is_channels_last) text += " channels-last";
  return text;
}

Json block_of(const std::string& device, const Json& choices) {
  return Json::object()
      .set("version", format_version)
      .set("device", device)
      .set("choices", choices);
}

/// The choice, if the entry has its form.
std::optional<ConvChoice> choice_of(const Json& entry) {
  const Json* algorithm = entry.find("algorithm");
  const Json* fused = entry.find("fused");
  if (algorithm == nullptr || !algorithm->is_number() || fused == nullptr || !fused->is_flag())
    return std::nullopt;
  const double number = algorithm->number();
  if (!(number >= 0 && number <= max_algorithm)) return std::nullopt;
  return ConvChoice{static_cast<std::int32_t>(number), fused->flag()};
}

}  // namespace

TimingCache::TimingCache(const std::string& folder, std::string device)
    : folder_(folder),
      device_(std::move(device)),
      path_(format("{}/cuda-timings-{}.json", folder, digest_of(device_).substr(0, 16))) {
  choices_ = read();
}

TimingCache::Choices TimingCache::read() const {
  Choices choices;
  std::error_code failed;
  if (!std::filesystem::exists(path_, failed)) return choices;
  try {
    const Json document = parse_json(read_text_file(path_, max_file_bytes), path_);
    const Json* list = document.find("choices");
    const Json* checksum = document.find("checksum");
    const Json* version = document.find("version");
    const Json* device = document.find("device");
    if (version == nullptr || !version->is_number() ||
        version->number() != static_cast<double>(format_version) || device == nullptr ||
        !device->is_text() || device->text() != device_)
      throw Error(ErrorCode::invalid, "it is of another device, or of another version");
    if (list == nullptr || !list->is_object() || checksum == nullptr || !checksum->is_text() ||
        checksum->text() != digest_of(block_of(device_, *list).write_compact()))
      throw Error(ErrorCode::invalid, "its checksum differs");
    for (const auto& [conv, entry] : list->members()) {
      const std::optional<ConvChoice> choice = choice_of(entry);
      if (!choice) throw Error(ErrorCode::invalid, "an entry has another form");
      choices.emplace(conv, *choice);
    }
  } catch (const Error& error) {
    log_debug(format("cuda: {} is not used: {}", path_, error.message()));
    choices.clear();
  }
  return choices;
}

std::string TimingCache::text_of(const Choices& choices) const {
  Json list = Json::object();
  for (const auto& [conv, choice] : choices)
    list.set(conv, Json::object().set("algorithm", choice.algorithm).set("fused", choice.is_fused));
  Json document = block_of(device_, list);
  const std::string checksum = digest_of(document.write_compact());
  return document.set("checksum", checksum).write() + "\n";
}

std::optional<ConvChoice> TimingCache::find(const ConvDesc& desc) const {
  const std::lock_guard lock(mutex_);
  const auto found = choices_.find(text_of_conv(desc));
  return found != choices_.end() ? std::optional(found->second) : std::nullopt;
}

void TimingCache::add(const ConvDesc& desc, const ConvChoice& choice) {
  const std::lock_guard lock(mutex_);
  if (choices_.size() >= max_choices) choices_.clear();
  choices_.insert_or_assign(text_of_conv(desc), choice);
  has_more_ = true;
}

std::string TimingCache::store() {
  const std::lock_guard lock(mutex_);
  if (!has_more_) return {};
  // What is lost between reading and renaming is measured again some time.
  Choices others = read();
  if (choices_.size() + others.size() <= max_choices) choices_.merge(others);
  has_more_ = false;
  try {
    std::error_code failed;
    std::filesystem::create_directories(folder_, failed);  // writing tells why that failed
    AtomicFile file(path_, OnLink::replace);
    file.write(text_of(choices_));
    file.commit_unsynced();
  } catch (const Error& error) {
    return error.message();
  }
  return {};
}

}  // namespace ortool::cuda
