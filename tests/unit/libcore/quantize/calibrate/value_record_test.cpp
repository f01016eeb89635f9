// Value records: the same bits from any split of the samples, and errors for what cannot be merged.
#include "libcore/quantize/calibrate/value_record.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/quantize/calibrate/byte_stream.hpp"
#include "libcore/tensor/convert.hpp"

using namespace ortool;

namespace {

std::string bytes_of(const ValueRecord& record) {
  ByteWriter out;
  record.write(out);
  return out.take();
}

/// Samples of very different magnitudes, with zeros of both signs, NaN and infinities.
std::vector<Tensor> made_samples(unsigned seed, std::size_t count) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::uniform_int_distribution<int> exponent(-40, 20);
  std::vector<Tensor> samples;
  for (std::size_t i = 0; i < count; ++i) {
    Tensor tensor(DataType::float32, {2, 5, static_cast<std::int64_t>(1 + i % 7)});
    const float scale = std::ldexp(1.0F, i % 5 == 0 ? exponent(random) : 0);
    for (float& value : tensor.mutable_data<float>()) value = scale * normal(random);
    tensor.mutable_data<float>()[0] = i % 2 == 0 ? 0.0F : -0.0F;
    if (i % 11 == 3) tensor.mutable_data<float>()[1] = NAN;
    if (i % 13 == 5) tensor.mutable_data<float>()[2] = -INFINITY;
    samples.push_back(std::move(tensor));
  }
  return samples;
}

}  // namespace

TEST_CASE("Any split of the samples, merged in any order, gives the bits of one pass") {
  const RecordOptions options{true, 1, 0};
  for (unsigned seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    const std::vector<Tensor> samples = made_samples(seed, 60);
    ValueRecord whole(options);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      whole.add(samples[i], static_cast<std::int64_t>(i));
    }
    std::mt19937 random(seed + 100);
    std::vector<ValueRecord> parts(1 + seed % 6, ValueRecord(options));
    std::vector<std::size_t> order(samples.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
      parts[random() % parts.size()].add(samples[i], static_cast<std::int64_t>(i));
    }
    std::shuffle(parts.begin(), parts.end(), random);
    ValueRecord merged(options);
    for (const ValueRecord& part : parts) merged.merge(part);
    REQUIRE(bytes_of(merged) == bytes_of(whole));
  }
}

TEST_CASE("A record counts what it saw") {
  ValueRecord record(RecordOptions{true, -1, 0});
  record.add(Tensor::of<float>({2, 2}, {1, -3, NAN, 2}), 0);
  record.add(Tensor::of<float>({1, 2}, {INFINITY, 0}), 1);
  CHECK(record.tensors() == 2);
  CHECK(record.count() == 6);
  CHECK(record.nan_count() == 1);
  CHECK(record.infinity_count() == 1);
  CHECK(record.min() == -3);
  CHECK(record.max() == 2);
  CHECK(record.mean() == 0);
  CHECK(record.std() == Approx(std::sqrt(14.0 / 4)));
  REQUIRE(record.channels().size() == 2);
  CHECK(record.channels()[0].count == 1);
  CHECK(record.channels()[1].min == -3);
  CHECK(record.channels()[1].mean() == Approx(-1.0 / 3));
  CHECK(record.histogram().count() == 4);
}

TEST_CASE("Types other than float32 are recorded as the numbers they hold") {
  const Tensor floats = Tensor::of<float>({4}, {1, 2.5F, -3, 0});
  ValueRecord record;
  record.add(floats, 0);
  for (const DataType type : {DataType::float16, DataType::bfloat16, DataType::float64}) {
    ValueRecord other;
    other.add(convert(floats, type), 0);
    CHECK(bytes_of(other) == bytes_of(record));
  }
  ValueRecord bytes;
  bytes.add(Tensor::of<std::uint8_t>({2}, {7, 255}), 0);
  CHECK(bytes.max() == 255);
  ValueRecord large;
  large.add(Tensor::of<double>({2}, {1e300, 1}), 0);
  CHECK(large.infinity_count() == 1);
  CHECK(large.max() == 1);
}

TEST_CASE("A record of nothing, of zeros and of numbers too small to matter is usable") {
  ValueRecord record;
  CHECK(record.mean() == 0);
  CHECK(record.std() == 0);
  record.add(Tensor(DataType::float32, {0, 3}), 0);
  CHECK(record.finite_count() == 0);
  record.add(Tensor::of<float>({2}, {0, 0}), 1);
  CHECK(record.max() == 0);
  CHECK(record.histogram().zeros() == 2);
  record.add(Tensor::of<float>({2}, {std::numeric_limits<float>::denorm_min(), -1e-40F}), 2);
  CHECK(record.histogram().count() == 4);
  record.add(Tensor::of<float>({2}, {std::numeric_limits<float>::max(), 1}), 3);
  CHECK(record.histogram().count() == 6);
}

TEST_CASE("Channels whose number changes are dropped, in any order") {
  const Tensor three = Tensor::of<float>({3}, {1, 2, 3});
  const Tensor two = Tensor::of<float>({2}, {1, 2});
  const RecordOptions options{false, 0, 0};
  ValueRecord a(options);
  a.add(three, 0);
  a.add(two, 1);
  a.add(three, 2);
  CHECK(a.channels().empty());
  ValueRecord b(options);
  b.add(three, 0);
  ValueRecord c(options);
  c.add(two, 1);
  ValueRecord d(options);
  d.add(three, 2);
  b.merge(d);
  CHECK(b.channels().size() == 3);
  b.merge(c);
  CHECK(bytes_of(a) == bytes_of(b));
}

TEST_CASE("Moving averages follow the order of samples, and refuse to be merged") {
  const RecordOptions options{false, std::nullopt, 0.5};
  ValueRecord record(options);
  record.add(Tensor::of<float>({2}, {0, 4}), 0);
  record.add(Tensor::of<float>({2}, {-2, 8}), 1);
  REQUIRE(record.moving_average().has_value());
  CHECK(*record.moving_average() == ValueRange{-1, 6});
  CHECK_THROWS_WITH(record.merge(ValueRecord(options)), Catch::Contains("order"));
  ValueRecord other;
  CHECK_THROWS_AS(other.merge(record), Error);
}

TEST_CASE("The largest samples are remembered, each once") {
  ValueRecord record;
  for (std::int64_t i = 0; i < 100; ++i) {
    record.add(Tensor::of<float>({1}, {static_cast<float>((i * 37) % 100)}), i);
    record.add(Tensor::of<float>({1}, {-1}), i);
  }
  REQUIRE(record.extremes().size() == ValueRecord::max_extremes);
  CHECK(record.extremes()[0].magnitude == 99);
  CHECK(record.extremes()[0].sample == 27);
  CHECK(record.extremes()[7].magnitude == 92);
}

TEST_CASE("Stretches of samples follow each other without gaps, eight a doubling") {
  std::int64_t interval = 0;
  for (std::int64_t sample = 0; sample < 5000; ++sample) {
    if (sample == ValueRecord::first_sample_of(interval + 1)) ++interval;
    REQUIRE(ValueRecord::interval_of(sample) == interval);
  }
  CHECK(ValueRecord::interval_of(std::int64_t{1} << 40) < 400);
}

TEST_CASE("A record is read as it was written") {
  const RecordOptions options{true, 1, 0.25};
  ValueRecord record(options);
  const std::vector<Tensor> samples = made_samples(5, 30);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    record.add(samples[i], static_cast<std::int64_t>(i));
  }
  const std::string bytes = bytes_of(record);
  ByteReader in(bytes);
  const ValueRecord copy = ValueRecord::read(in);
  CHECK(in.is_at_end());
  CHECK(bytes_of(copy) == bytes);
  for (std::size_t cut = 0; cut < bytes.size(); cut += 97) {
    ByteReader shorter(std::string_view(bytes).substr(0, cut));
    CHECK_THROWS_AS(ValueRecord::read(shorter), Error);
  }
}
