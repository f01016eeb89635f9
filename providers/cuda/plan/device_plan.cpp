// Device plan: memory by lifetimes, transfers, and capture as a graph.
#include "providers/cuda/plan/device_plan.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "libcore/base/format.hpp"
#include "libcore/graph/node.hpp"

namespace ortool::cuda {
namespace {

constexpr std::int64_t buffer_alignment = 256;

std::int64_t round_up(std::int64_t bytes) {
  return (bytes + buffer_alignment - 1) / buffer_alignment * buffer_alignment;
}

/// Places buffers that live at the same time beside each other, the largest first.
class ArenaPlacer {
 public:
  explicit ArenaPlacer(const std::vector<PlanBuffer>& buffers) : buffers_(buffers) {}

  std::int64_t place(std::vector<std::int64_t>& offsets) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      if (buffers_[i].fixed == nullptr && buffers_[i].first >= 0) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      return buffers_[a].bytes > buffers_[b].bytes;
    });
    offsets.assign(buffers_.size(), -1);
    std::int64_t end = 0;
    std::vector<std::size_t> placed;  // by offset
    for (const std::size_t number : order) {
      std::int64_t offset = 0;
      const std::int64_t bytes = round_up(buffers_[number].bytes);
      for (const std::size_t other : placed) {
        if (!overlap(buffers_[number], buffers_[other])) continue;
        if (offsets[other] >= offset + bytes) break;
        offset = std::max(offset, offsets[other] + round_up(buffers_[other].bytes));
      }
      offsets[number] = offset;
      placed.insert(std::upper_bound(placed.begin(), placed.end(), offset,
                                     [&](std::int64_t value, std::size_t each) {
                                       return value < offsets[each];
                                     }),
                    number);
      end = std::max(end, offset + bytes);
    }
    return end;
  }

 private:
  static bool overlap(const PlanBuffer& a, const PlanBuffer& b) {
    return a.first <= b.last && b.first <= a.last;
  }

  const std::vector<PlanBuffer>& buffers_;
};

/// Moments of a run that a stream notes; the commands' ends follow.
enum RunMark : std::size_t { mark_start, mark_uploaded, mark_computed, mark_downloaded, run_marks };

std::string_view name_of(const Command& command) {
  switch (command.kind) {
    case Command::Kind::kernel:
      return kernel_name(command.kernel);
    case Command::Kind::product:
      return "cublaslt_product";
    case Command::Kind::conv:
      return "cudnn_convolution";
    case Command::Kind::copy:
      return "copy";
    default:
      return "clear";
  }
}

/// Large copies between values of the host are shared among threads.
void copy_on_host(std::byte* to, const std::byte* from, std::int64_t bytes, Workers& workers) {
  constexpr std::int64_t grain = std::int64_t{1} << 20;
  workers.parallel_ranges(bytes, grain, [&](std::int64_t begin, std::int64_t end) {
    std::memcpy(to + begin, from + begin, static_cast<std::size_t>(end - begin));
  });
}

}  // namespace

DevicePlan::DevicePlan(std::shared_ptr<Device> device, PlanParts parts)
    : device_(std::move(device)), parts_(std::move(parts)) {
  for (const Command& command : parts_.command_list.commands())
    figures_.launches += command.kind != Command::Kind::clear ? 1 : 0;
  for (const TransferRange& input : parts_.inputs) {
    ++figures_.copies_in;
    figures_.bytes_in += input.bytes;
    staging_bytes_ += round_up(input.bytes);
  }
  for (const TransferRange& output : parts_.outputs) {
    ++figures_.copies_out;
    figures_.bytes_out += output.bytes;
    staging_bytes_ += round_up(output.bytes);
  }
  staging_bytes_ += buffer_alignment;
  lay_out();
  figures_.arena_bytes = arena_bytes_;
}

DevicePlan::~DevicePlan() = default;

void DevicePlan::lay_out() {
  std::vector<PlanBuffer>& buffers = parts_.command_list.buffers();
  const auto last = static_cast<std::int32_t>(parts_.command_list.commands().size());
  const auto live_from_start = [&](EncodedPointer memory) {
    PlanBuffer& buffer = buffers[memory.buffer()];
    buffer.first = 0;
    buffer.last = std::max(buffer.last, 0);
  };
  const auto live_to_end = [&](EncodedPointer memory) {
    PlanBuffer& buffer = buffers[memory.buffer()];
    buffer.first = std::max(buffer.first, 0);
    buffer.last = last;
  };
  for (const TransferRange& input : parts_.inputs) live_from_start(input.memory);
  for (const TransferRange& output : parts_.outputs) live_to_end(output.memory);
  if (!parts_.status.is_null()) {
    live_from_start(parts_.status);
    live_to_end(parts_.status);
  }
  arena_bytes_ = ArenaPlacer(buffers).place(offsets_);
}

void DevicePlan::allocate() const {
  if (stream_ != nullptr) return;
  device_->release_scratch();
  auto& parts = const_cast<PlanParts&>(parts_);
  const std::vector<PlanBuffer>& buffers = parts.command_list.buffers();
  std::vector<DeviceBuffer> memory;
  std::vector<void*> addresses(buffers.size(), nullptr);
  const bool is_separate = device_->checks_bounds();
  if (!is_separate) memory.emplace_back(device_, arena_bytes_, "the values of a graph");
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].fixed != nullptr) {
      addresses[i] = buffers[i].fixed;
    } else if (offsets_[i] >= 0 && is_separate) {
      memory.emplace_back(device_, std::max<std::int64_t>(1, buffers[i].bytes), "a value");
      addresses[i] = memory.back().data();
    } else if (offsets_[i] >= 0) {
      addresses[i] = static_cast<std::byte*>(memory.front().data()) + offsets_[i];
    }
  }
  std::vector<Command> commands = parts.command_list.commands();
  for (Command& command : commands) {
    for (const std::size_t place : command.fixups) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, command.params.data() + place, sizeof(bits));
      const EncodedPointer pointer = EncodedPointer::from_bits(bits);
      const void* address =
          static_cast<const std::byte*>(addresses[pointer.buffer()]) + pointer.offset();
      std::memcpy(command.params.data() + place, &address, sizeof(address));
    }
  }
  staging_ = StagingBuffer(device_, staging_bytes_);
  std::unique_ptr<DeviceStream> stream = device_->make_stream();
  commands_ = std::move(commands);
  addresses_ = std::move(addresses);
  memory_ = std::move(memory);
  stream_ = std::move(stream);
}

void DevicePlan::run_command(const Command& command) const {
  const void* params = command.params.data();
  switch (command.kind) {
    case Command::Kind::kernel:
      stream_->launch(command.kernel, command.blocks, command.threads, params,
                      command.params.size());
      break;
    case Command::Kind::product:
      stream_->multiply(*command.primitive, *static_cast<const ProductPointers*>(params));
      break;
    case Command::Kind::conv:
      stream_->convolve(*command.primitive, *static_cast<const ConvPointers*>(params));
      break;
    case Command::Kind::copy: {
      const auto& copy = *static_cast<const CopyPointers*>(params);
      stream_->copy(copy.to, copy.from, copy.bytes);
      break;
    }
    case Command::Kind::clear: {
      const auto& clear = *static_cast<const CopyPointers*>(params);
      stream_->clear(clear.to, clear.bytes);
      break;
    }
  }
}

std::byte* DevicePlan::address(EncodedPointer pointer) const {
  return static_cast<std::byte*>(addresses_[pointer.buffer()]) + pointer.offset();
}

void DevicePlan::upload(const RunContext& context) const {
  std::byte* staging = staging_.data() + buffer_alignment;
  for (const TransferRange& input : parts_.inputs) {
    const auto* given = context.input<std::byte>(input.operand);
    if (input.bytes > 0 && device_->owns(given)) {
      stream_->copy(address(input.memory), given, input.bytes);
    } else if (input.bytes > 0) {
      stream_->upload(address(input.memory), staging, input.bytes);
    }
    staging += round_up(input.bytes);
  }
}

void DevicePlan::compute(bool is_marked) const {
  if (!parts_.status.is_null()) stream_->clear(address(parts_.status), sizeof(std::int32_t));
  std::size_t next_mark = run_marks;
  for (const Command& command : commands_) {
    try {
      run_command(command);
      if (is_marked) stream_->mark(next_mark++);
    } catch (Error& error) {
      if (command.node == nullptr) throw;
      throw error.at_node(command.node->name(), command.node->op_type());
    }
  }
}

void DevicePlan::download(const RunContext& context) const {
  std::byte* staging = staging_.data() + buffer_alignment;
  for (const TransferRange& input : parts_.inputs) staging += round_up(input.bytes);
  for (const TransferRange& output : parts_.outputs) {
    auto* wanted = context.output<std::byte>(output.operand);
    if (output.bytes > 0 && device_->owns(wanted)) {
      stream_->copy(wanted, address(output.memory), output.bytes);
    } else if (output.bytes > 0 && wanted != nullptr) {
      stream_->download(staging, address(output.memory), output.bytes);
    }
    staging += round_up(output.bytes);
  }
  if (!parts_.status.is_null())
    stream_->download(staging_.data(), address(parts_.status), sizeof(std::int32_t));
}

void DevicePlan::submit(const RunContext& context, DeviceReport* report) const {
  const auto mark = [&](RunMark moment) {
    if (report != nullptr) stream_->mark(moment);
  };
  const bool is_marked = report != nullptr && report->wants_events;
  if (graph_ == nullptr && was_run_ && !is_marked) {
    stream_->begin_capture();
    compute(false);
    graph_ = stream_->end_capture();
  }
  mark(mark_start);
  upload(context);
  mark(mark_uploaded);
  if (graph_ != nullptr && !is_marked) {
    stream_->replay(*graph_);
  } else {
    compute(is_marked);
  }
  mark(mark_computed);
  download(context);
  mark(mark_downloaded);
  // While the device is busy, since clocks fall soon after.
  if (report != nullptr && report->wants_clocks) report->clocks = device_->clocks();
  stream_->synchronize();
  if (report != nullptr) fill(*report);
}

void DevicePlan::fill(DeviceReport& report) const {
  report.figures.add({.kernels = 1,
                      .copy_in_ns = stream_->between(mark_start, mark_uploaded),
                      .compute_ns = stream_->between(mark_uploaded, mark_computed),
                      .copy_out_ns = stream_->between(mark_computed, mark_downloaded),
                      .memory_bytes = device_->memory().peak_bytes});
  if (report.wants_events) fill_events(report);
}

void DevicePlan::fill_events(DeviceReport& report) const {
  const auto add = [&](std::string_view name, std::string_view kernel, RunMark from, RunMark to) {
    report.events.push_back({.nodes = {},
                             .name = name,
                             .kernel = kernel,
                             .start_ns = stream_->between(mark_start, from),
                             .duration_ns = stream_->between(from, to)});
  };
  if (figures_.copies_in > 0) add("(copy in)", "copy", mark_start, mark_uploaded);
  // A node has the kernel that takes most of its time.
  std::unordered_map<const Node*, std::size_t> places;
  std::unordered_map<const Node*, std::int64_t> longest;
  std::size_t before = mark_uploaded;
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    const Command& command = commands_[i];
    const std::size_t end = run_marks + i;
    const auto [place, is_new] = places.try_emplace(command.node, report.events.size());
    if (is_new) {
      DeviceEvent& event = report.events.emplace_back();
      event.start_ns = stream_->between(mark_start, before);
      if (command.node != nullptr) {
        event.nodes = parts_.command_list.group(*command.node);
      } else {
        event.name = "(conversion of outputs)";
      }
    }
    DeviceEvent& event = report.events[place->second];
    const std::int64_t duration_ns = stream_->between(before, end);
    event.duration_ns += duration_ns;
    std::int64_t& most = longest[command.node];
    if (event.kernel.empty() || duration_ns > most) {
      event.kernel = name_of(command);
      most = duration_ns;
    }
    before = end;
  }
  if (figures_.copies_out > 0) add("(copy out)", "copy", mark_computed, mark_downloaded);
}

void DevicePlan::check_status() const {
  if (parts_.status.is_null()) return;
  std::int32_t status = 0;
  std::memcpy(&status, staging_.data(), sizeof(status));
  if (status == 0) return;
  const Node& node = *parts_.status_nodes.at(static_cast<std::size_t>(status) - 1);
  throw Error(ErrorCode::invalid, "an index or a length is out of range",
              "--provider cpu names it and its range")
      .at_node(node.name(), node.op_type());
}

void DevicePlan::run(const RunContext& context, DeviceReport* report) const {
  for (const KnownOutput& known : parts_.known) {
    auto* out = context.output<std::byte>(known.operand);
    const auto bytes = static_cast<std::size_t>(known.content.size_bytes());
    if (bytes > 0 && device_->owns(out)) {
      device_->write(out, known.content.bytes(), known.content.size_bytes());
      continue;
    }
    // A plan that knows the content too has it there already, where no run may write.
    if (out != nullptr && bytes > 0 && std::memcmp(out, known.content.bytes(), bytes) != 0)
      std::memcpy(out, known.content.bytes(), bytes);
  }
  const std::lock_guard lock(mutex_);
  allocate();
  std::byte* staging = staging_.data() + buffer_alignment;
  for (const TransferRange& input : parts_.inputs) {
    const auto* given = context.input<std::byte>(input.operand);
    if (input.bytes > 0 && !device_->owns(given))
      copy_on_host(staging, given, input.bytes, context.workers());
    staging += round_up(input.bytes);
  }
  try {
    submit(context, report);
  } catch (...) {
    // The next run starts afresh.
    graph_.reset();
    stream_.reset();
    was_run_ = false;
    throw;
  }
  check_status();
  was_run_ = true;
  for (const TransferRange& output : parts_.outputs) {
    auto* out = context.output<std::byte>(output.operand);
    if (out != nullptr && output.bytes > 0 && !device_->owns(out))
      copy_on_host(out, staging, output.bytes, context.workers());
    staging += round_up(output.bytes);
  }
}

}  // namespace ortool::cuda
