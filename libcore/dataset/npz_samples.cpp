// .npz samples: decompresses arrays in parallel streams, sample by sample.
#include "libcore/dataset/npz_samples.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/sha256.hpp"
#include "libcore/base/strings/named_value.hpp"
#include "libcore/base/strings/unknown_name.hpp"
#include "libcore/dataset/values/value_set.hpp"
#include "libcore/io/npz.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr std::string_view label_key = "labels";

/// An array of the archive, and its role.
struct Column {
  enum class Role { input, reference, label };

  Role role;
  std::string value;  ///< the name of the input or output
  bool is_whole;      ///< an entry is a complete value, without the array's first axis
  NpzRows rows;
};

class NpzSamples : public SampleSet {
 public:
  NpzSamples(const std::string& path, SampleContext context)
      : path_(path), archive_(path), context_(std::move(context)) {
    open_columns();
    check_counts();
  }

  std::int64_t size() const override { return count_ / rows_a_sample_; }
  const std::vector<std::string>& class_names() const override { return no_names_; }
  Sample next() override;
  void skip(std::int64_t count) override;
  std::string identity() const override;

 private:
  void open_columns();
  void add_column(Column::Role role, const Value& value, const std::string& key);
  void check_counts();

  std::string path_;
  NpzFile archive_;
  SampleContext context_;
  std::vector<Column> columns_;
  std::vector<std::string> no_names_;
  std::int64_t count_ = -1;         ///< entries of each array
  std::int64_t rows_a_sample_ = 1;  ///< the model's batch size if fixed
  std::int64_t next_ = 0;
};

void NpzSamples::add_column(Column::Role role, const Value& value, const std::string& key) {
  Column column{role, std::string(value.name()), false, archive_.open_rows(key)};
  const PartialShape& wanted = value.type().shape;
  const std::int64_t rank = column.rows.shape().rank();
  if (!value.type().is_tensor()) {
    throw Error(ErrorCode::unsupported,
                format("{} is a {}, which an .npz set cannot hold", quote(value.name()),
                       value.type().to_string()),
                "write a MANIFEST.json with one file per sample (`ortool schema manifest`)")
        .in(path_)
        .with_id("data.kind");
  }
  const auto wanted_rank = wanted ? static_cast<std::int64_t>(wanted->size()) : rank;
  column.is_whole = rank == wanted_rank + 1;
  if (rank != wanted_rank && !column.is_whole) {
    throw Error(ErrorCode::invalid,
                format("array {} is {} (expected the shape of {}, or one more axis in front)",
                       quote(key), column.rows.shape().to_string(), value.type().to_string()),
                "the first axis of an array counts the samples")
        .in(path_)
        .with_id("data.shape");
  }
  const bool has_fixed_batch =
      role == Column::Role::input && !column.is_whole && wanted && wanted->front().is_known();
  if (has_fixed_batch) {
    rows_a_sample_ = std::max<std::int64_t>(rows_a_sample_, wanted->front().number());
  }
  columns_.push_back(std::move(column));
}

void NpzSamples::open_columns() {
  std::vector<std::string> known = {std::string(label_key)};
  std::vector<std::string> used;
  const auto positions = input_positions(context_.inputs);
  const auto offer = [&](Column::Role role, const Value& value,
                         std::optional<std::size_t> position) {
    const std::string_view kind = role == Column::Role::input ? "input" : "output";
    known.emplace_back(value.name());
    std::vector<std::string> keys = {std::string(value.name())};
    if (position) keys.push_back(format("{}_{}", kind, *position));
    for (const std::string& key : keys) {
      if (!archive_.contains(key)) continue;
      used.push_back(key);
      return add_column(role, value, key);
    }
    if (role == Column::Role::reference || !position) return;
    throw Error(ErrorCode::invalid, format("no data for: {}", value.name()),
                format("the archive contains: {}", list_names(archive_.names())))
        .in(path_)
        .with_id("input.missing");
  };
  for (std::size_t i = 0; i < context_.inputs.size(); ++i) {
    offer(Column::Role::input, *context_.inputs[i], positions[i]);
  }
  for (std::size_t i = 0; i < context_.outputs.size(); ++i) {
    offer(Column::Role::reference, *context_.outputs[i], i);
  }
  for (const std::string& key : archive_.names()) {
    if (std::find(used.begin(), used.end(), key) != used.end()) continue;
    if (key != label_key) throw unknown_name("array", key, "arrays expected", known).in(path_);
    columns_.push_back({Column::Role::label, "", false, archive_.open_rows(key)});
  }
}

void NpzSamples::check_counts() {
  for (const Column& column : columns_) {
    const std::int64_t count = column.rows.shape()[0];
    if (count_ < 0) count_ = count;
    if (count == count_) continue;
    throw Error(ErrorCode::invalid, format("the arrays hold {} and {} samples", count_, count),
                "the first axis of every array counts the samples")
        .in(path_)
        .with_id("data.count");
  }
  if (count_ <= 0) {
    throw Error(ErrorCode::invalid, "the archive contains no samples")
        .in(path_)
        .with_id("data.empty");
  }
  const bool has_whole = std::any_of(columns_.begin(), columns_.end(),
                                     [](const Column& column) { return column.is_whole; });
  if (rows_a_sample_ > 1 && has_whole) {
    throw Error(ErrorCode::invalid,
                format("the model takes batches of {}, but some arrays have no sample axis",
                       rows_a_sample_),
                "give all arrays as many axes as the model's inputs and outputs")
        .in(path_)
        .with_id("data.shape");
  }
  if (count_ % rows_a_sample_ == 0) return;
  throw Error(ErrorCode::invalid,
              format("{} samples are not a multiple of the model's batch size of {}", count_,
                     rows_a_sample_),
              "leave some samples out, or give the model a batch size of 1")
      .in(path_)
      .with_id("data.count");
}

Tensor without_first_axis(const Tensor& tensor) {
  const auto sizes = tensor.shape().dimensions();
  return tensor.reshaped(Shape(std::vector<std::int64_t>(sizes.begin() + 1, sizes.end())));
}

void add_labels(const Tensor& rows, std::vector<SampleLabel>& labels) {
  for (std::int64_t i = 0; i < rows.element_count(); ++i) {
    if (rows.type() == DataType::string) {
      labels.emplace_back(rows.strings()[static_cast<std::size_t>(i)]);
    } else if (is_integer(rows.type()) || rows.type() == DataType::boolean) {
      labels.emplace_back(element_as_int64(rows, i));
    } else {
      throw Error(ErrorCode::invalid,
                  format("labels are {} (expected integers or strings)", name_of(rows.type())))
          .with_id("data.labels");
    }
  }
}

Sample NpzSamples::next() {
  Sample sample;
  sample.name = std::to_string(next_++);
  for (Column& column : columns_) {
    const std::int64_t rows = column.is_whole ? 1 : rows_a_sample_;
    Tensor tensor = column.rows.next(rows, &context_.task.memory);
    if (column.role == Column::Role::label) {
      add_labels(tensor, sample.labels);
      continue;
    }
    if (column.is_whole) tensor = without_first_axis(tensor);
    auto& values = column.role == Column::Role::input ? sample.inputs : sample.references;
    values.emplace_back(column.value, std::move(tensor));
  }
  return sample;
}

void NpzSamples::skip(std::int64_t count) {
  for (Column& column : columns_)
    column.rows.skip(column.is_whole ? count : count * rows_a_sample_);
  next_ += count;
}

std::string NpzSamples::identity() const {
  Sha256 hash;
  for (const std::string& name : archive_.names()) {
    const auto [type, shape] = archive_.info(name);
    const std::string text = format("{} {}{} {};", quote(name), name_of(type), shape.to_string(),
                                    archive_.checksum(name));
    hash.update(std::as_bytes(std::span(text.data(), text.size())));
  }
  return hash.finish();
}

}  // namespace

std::unique_ptr<SampleSet> open_npz_samples(const std::string& path, SampleContext context) {
  return std::make_unique<NpzSamples>(path, std::move(context));
}

}  // namespace ortool
