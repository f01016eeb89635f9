// Calibration file format: a header line, the key, the value records, and a hash of them all.
#include <algorithm>
#include <cmath>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/sha256.hpp"
#include "libcore/quantize/calibrate/byte_stream.hpp"
#include "libcore/quantize/calibrate/calibration.hpp"

namespace ortool {
namespace {

constexpr std::string_view file_begin = "ortool calibration 2\n";
constexpr std::size_t hash_digits = 64;

std::string hash_of(std::string_view text) {
  return sha256_of(std::as_bytes(std::span<const char>(text.data(), text.size())));
}

void write_settings(ByteWriter& out, const CalibrationSettings& settings) {
  out.integer(settings.with_histograms ? 1 : 0);
  out.number(settings.averaging_constant);
  out.integer(static_cast<std::int64_t>(settings.values.size()));
  for (const ValueRequest& value : settings.values) {
    out.text(value.name);
    out.integer(value.channel_axis ? 1 : 0);
    out.integer(value.channel_axis.value_or(0));
  }
}

CalibrationSettings read_settings(ByteReader& in) {
  CalibrationSettings settings;
  settings.with_histograms = in.integer(0, 1) == 1;
  settings.averaging_constant = in.number();
  for (std::int64_t left = in.count(24); left > 0; --left) {
    ValueRequest value;
    value.name = in.text();
    const bool has_axis = in.integer(0, 1) == 1;
    const std::int64_t axis = in.integer();
    if (has_axis) value.channel_axis = axis;
    settings.values.push_back(std::move(value));
  }
  return settings;
}

[[noreturn]] void fail_no_calibration(std::string_view reason) {
  throw Error(ErrorCode::invalid, format("this is not a calibration file: {}", reason),
              "name another file to calibrate again; this one stays as it is");
}

}  // namespace

std::string Calibration::serialize(std::string_view key) const {
  ByteWriter out;
  out.text(key);
  write_settings(out, settings_);
  out.integer(static_cast<std::int64_t>(samples_.intervals().size()));
  for (const auto& [first, last] : samples_.intervals()) {
    out.integer(first);
    out.integer(last);
  }
  for (const auto& [name, record] : records_) record.write(out);
  const auto is_finished = [&](const auto& each) { return samples_.contains(each.first); };
  out.integer(std::count_if(digests_.begin(), digests_.end(), is_finished));
  for (const auto& each : digests_) {
    if (!is_finished(each)) continue;
    out.integer(each.first);
    out.text(each.second);
  }
  return std::string(file_begin) + hash_of(out.bytes()) + out.bytes();
}

Calibration Calibration::parse(std::string_view bytes, std::string_view key) {
  if (bytes.substr(0, file_begin.size()) != file_begin) {
    fail_no_calibration("its header differs, or another version of ortool wrote it");
  }
  bytes.remove_prefix(file_begin.size());
  if (bytes.size() < hash_digits ||
      hash_of(bytes.substr(hash_digits)) != bytes.substr(0, hash_digits)) {
    fail_no_calibration("its checksum does not match");
  }
  ByteReader in(bytes.substr(hash_digits));
  const std::string found_key = in.text();
  if (!key.empty() && found_key != key) {
    throw Error(ErrorCode::invalid,
                "the calibration was made of another model, other data or other settings",
                "give another file, or remove this one to calibrate again");
  }
  Calibration calibration(read_settings(in));
  constexpr std::int64_t max_samples = std::int64_t{1} << 48;
  for (std::int64_t left = in.count(16); left > 0; --left) {
    const std::int64_t first = in.integer(0, max_samples);
    calibration.samples_.add_interval(first, in.integer(first + 1, max_samples + 1));
  }
  for (auto& [name, record] : calibration.records_) {
    const RecordOptions expected = record.options();
    record = ValueRecord::read(in);
    if (record.options() != expected) fail_no_calibration(format("the record of {}", quote(name)));
  }
  for (std::int64_t left = in.count(16); left > 0; --left) {
    const std::int64_t number = in.integer(0, max_samples);
    calibration.digests_[number] = in.text();
  }
  if (!in.is_at_end()) fail_no_calibration("there is data after its end");
  return calibration;
}

std::string calibration_key(std::string_view model_hash, std::string_view data_hash,
                            const CalibrationSettings& settings) {
  ByteWriter out;
  out.text(file_begin);
  out.text(model_hash);
  out.text(data_hash);
  write_settings(out, settings);
  return hash_of(out.bytes());
}

}  // namespace ortool
