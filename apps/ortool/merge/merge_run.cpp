// Merge: reads the parts, checks that each shard is there once, and joins them by their kind.
#include "apps/ortool/merge/merge_run.hpp"

#include "apps/ortool/bench/bench_part.hpp"
#include "apps/ortool/evaluation/evaluation_part.hpp"
#include "apps/ortool/options/written_files.hpp"
#include "apps/ortool/parts/joined_report.hpp"
#include "apps/ortool/parts/part_task.hpp"
#include "apps/ortool/quantize/errors_run.hpp"
#include "libcore/base/file/atomic_file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/readable_number.hpp"
#include "libcore/dataset/parts/check_parts.hpp"
#include "libcore/quantize/parts/calibration_parts.hpp"
#include "libcore/quantize/parts/error_record.hpp"

namespace ortool {
namespace {

class MergeRun {
 public:
  explicit MergeRun(Invocation& invocation) : invocation_(invocation) {}

  void run();

 private:
  void read_parts();
  void merge_calibrations();
  /// The joined report of `command`, whose text is already in the report.
  void report_document(std::string_view command, Json unfinished, int verdict);
  void write_output(const std::string& bytes);
  bool has_output() const { return invocation_.options.has("output"); }

  Invocation& invocation_;
  std::vector<Part> parts_;
  Json output_;  ///< {path, bytes, sha256}; null: nothing written
};

void MergeRun::read_parts() {
  Progress progress(invocation_.task(), "reading");
  const auto paths = invocation_.arguments;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    invocation_.stop.poll();
    progress.tell_done(static_cast<std::int64_t>(i), static_cast<std::int64_t>(paths.size()));
    parts_.push_back(read_part_file(paths[i], &invocation_.memory));
    // Read again when it is its turn, so that memory does not grow with the number of shards.
    parts_.back().payload = std::string();
  }
  check_parts(parts_);
  for (const std::string& other : other_isas(parts_)) {
    invocation_.warn(
        format("{}: results of different instruction sets may differ in the last bits "
               "(ORTOOL_MAX_ISA sets one for all)",
               other));
  }
}

void MergeRun::write_output(const std::string& bytes) {
  const std::string path = invocation_.options.text("output");
  write_file(path, bytes);
  const std::string hash = hash_of_text(bytes);
  output_ = Json::object()
                .set("path", path)
                .set("bytes", static_cast<std::int64_t>(bytes.size()))
                .set("sha256", hash);
  invocation_.report.text += format("written: {} ({}, sha256 {})\n", shorten(path),
                                    readable_bytes(static_cast<double>(bytes.size())), hash);
}

void MergeRun::merge_calibrations() {
  if (!has_output()) {
    throw Error(ErrorCode::invalid, "the output file of the calibration is missing",
                "add -o FILE, for quantize --calibration-cache FILE")
        .with_id("usage.output");
  }
  const JoinedCalibration joined = join_calibrations(parts_, &invocation_.memory);
  invocation_.report.text += format("calibration of {} samples\n", joined.samples);
  write_output(joined.bytes);
}

void MergeRun::report_document(std::string_view command, Json unfinished, int verdict) {
  std::vector<std::string> words(invocation_.words.begin(), invocation_.words.end());
  Json document = finished_document(unfinished, command, words, verdict);
  if (has_output()) write_output(document.write() + "\n");
  if (const Json* warnings = document.find("warnings")) {
    for (const Json& text : warnings->items()) invocation_.warn(text.text());
  }
  invocation_.report.verdict = verdict;
  if (invocation_.has_document) invocation_.report.payload.set("result", std::move(document));
}

void MergeRun::run() {
  if (has_output()) {
    check_can_be_written("output", invocation_.options.text("output"));
    check_is_no_other_file(invocation_, "output", invocation_.options.text("output"));
  }
  read_parts();
  const std::string kind = parts_.front().task.kind;
  const std::int64_t items = parts_.front().task.items;
  Report& report = invocation_.report;
  report.payload.set("kind", kind)
      .set("shards", static_cast<std::int64_t>(parts_.size()))
      .set("items", items);
  report.text += format("{} of {} merged\n", kind,
                        parts_.size() == 1 ? "1 shard" : format("{} shards", parts_.size()));
  if (kind == calibration_kind) {
    merge_calibrations();
  } else if (kind == evaluation_kind) {
    JoinedEvaluationReport joined = join_evaluations(parts_, invocation_.task());
    report.text += joined.report.text;
    report_document("run", std::move(joined.document),
                    joined.has_failures ? static_cast<int>(ErrorCode::invalid) : 0);
  } else if (kind == errors_kind) {
    JoinedErrors joined = join_errors(parts_, invocation_.memory);
    report.text += joined.text;
    report_document("quantize", std::move(joined.document), 0);
  } else if (kind == benchmark_kind) {
    JoinedBenchResult joined = join_benchmarks(parts_, invocation_.memory);
    report.text += joined.text;
    report_document("bench", std::move(joined.document), joined.verdict);
  } else {
    throw Error(ErrorCode::unsupported, format("parts of kind {} cannot be merged", quote(kind)),
                "use the version of ortool that wrote them")
        .with_id("part.file")
        .in(parts_.front().path);
  }
  report.payload.set("output", std::move(output_));
}

}  // namespace

void run_merge(Invocation& invocation) {
  MergeRun(invocation).run();
}

}  // namespace ortool
