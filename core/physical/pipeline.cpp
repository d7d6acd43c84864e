#include "core/physical/pipeline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "core/base/error.h"
#include "core/physical/pipeline_orders.h"

namespace tessera::physical {
namespace {

constexpr double kPipelineNotYet = -1;

std::size_t pipelineSize(int count) {
    return static_cast<std::size_t>(count);
}

bool isPipelineTime(double seconds) {
    return std::isfinite(seconds) && seconds >= 0;
}

bool arePipelineTimes(const PipelineStage& times) {
    return isPipelineTime(times.forward) && isPipelineTime(times.backwardInput) && isPipelineTime(times.backwardWeight);
}

bool isPipelineOfBearableSize(const Pipeline& pipeline) {
    const std::int64_t chunks = pipelineChunks(pipeline);
    if (pipeline.stages > kMaxPipelineTasks / chunks) return false;
    return pipeline.microBatches <= kMaxPipelineTasks / (chunks * pipeline.stages);
}

/// Seconds of the four passes of a chunk, in the order of `PipelinePass`.
std::array<double, 4> passTimesOf(const PipelineStage& stage, int chunks) {
    const double forward = stage.forward / chunks;
    const double input = stage.backwardInput / chunks, weight = stage.backwardWeight / chunks;
    return {forward, input, weight, input + weight};
}

/// One run of an order. A stage runs on as far as its inputs are there; sweeps down and up the stages repeat until all
/// is done, so that a sweep carries what it finishes along with it.
class PipelineRun {
public:
    PipelineRun(const Pipeline& pipeline, const PipelineOrder& order);
    PipelineTimes times();
    std::vector<PipelineEvent> events();

private:
    struct Device {
        std::size_t next = 0;
        double begin = 0, end = 0;
        std::array<double, 4> seconds = {};
        std::vector<PipelineEvent> events = {};
    };

    void sweepUntilDone();
    bool advance(std::size_t stage);
    bool runNext(std::size_t stage);
    double readyAt(const PipelineTask& task, std::size_t position) const;
    double arrival(const std::vector<double>& ends, std::size_t from, std::size_t to, const PipelineTask& task) const;
    bool isLaterOfGroup(std::size_t from, std::size_t to, const PipelineTask& task) const;
    double& endOf(std::vector<double>& ends, std::size_t position, const PipelineTask& task) const;
    double busiest() const;
    double longestSpan() const;
    std::vector<double> inFlight() const;

    const Pipeline& pipeline_;
    const PipelineOrder& order_;
    int chunks_;
    std::size_t microBatches_, last_;
    std::vector<std::size_t> positions_;      // by stage and chunk
    std::vector<std::size_t> deviceOf_;       // by position
    std::vector<double> forward_, backward_;  // ends, by position and micro-batch
    std::vector<Device> devices_;
    bool isRecording_ = false;
};

PipelineRun::PipelineRun(const Pipeline& pipeline, const PipelineOrder& order)
    : pipeline_(pipeline),
      order_(order),
      chunks_(pipelineChunks(pipeline)),
      microBatches_(pipelineSize(pipeline.microBatches)),
      last_(pipelineSize(pipeline.stages * chunks_ - 1)),
      positions_(last_ + 1),
      deviceOf_(last_ + 1),
      forward_((last_ + 1) * microBatches_, kPipelineNotYet),
      backward_((last_ + 1) * microBatches_, kPipelineNotYet),
      devices_(pipelineSize(pipeline.stages)) {
    for (int stage = 0; stage < pipeline.stages; ++stage) {
        devices_[pipelineSize(stage)].seconds = passTimesOf(pipelineStage(pipeline, stage), chunks_);
        for (int chunk = 0; chunk < chunks_; ++chunk) {
            const std::size_t position = pipelineSize(pipelinePosition(pipeline, stage, chunk));
            positions_[pipelineSize(stage * chunks_ + chunk)] = position;
            deviceOf_[position] = pipelineSize(stage);
        }
    }
}

double& PipelineRun::endOf(std::vector<double>& ends, std::size_t position, const PipelineTask& task) const {
    return ends[position * microBatches_ + pipelineSize(task.microBatch)];
}

/// True for a hop between the last device and the first, either way, of any but the first micro-batch of a group.
bool PipelineRun::isLaterOfGroup(std::size_t from, std::size_t to, const PipelineTask& task) const {
    if (pipeline_.schedule != PipelineSchedule::interleaved || from == to) return false;
    return deviceOf_[std::max(from, to)] == 0 && task.microBatch % pipeline_.stages != 0;
}

double PipelineRun::arrival(const std::vector<double>& ends, std::size_t from, std::size_t to,
                            const PipelineTask& task) const {
    const double end = ends[from * microBatches_ + pipelineSize(task.microBatch)];
    if (pipeline_.groupedWrap && isLaterOfGroup(from, to, task)) return 0;
    if (end == kPipelineNotYet || deviceOf_[from] == deviceOf_[to]) return end;
    return end + pipeline_.transfer;
}

double PipelineRun::readyAt(const PipelineTask& task, std::size_t position) const {
    switch (task.pass) {
        case PipelinePass::forward:
            return position == 0 ? 0 : arrival(forward_, position - 1, position, task);
        case PipelinePass::backwardWeight:
            return arrival(backward_, position, position, task);
        default:
            return position == last_ ? arrival(forward_, position, position, task)
                                     : arrival(backward_, position + 1, position, task);
    }
}

bool PipelineRun::runNext(std::size_t stage) {
    Device& device = devices_[stage];
    const PipelineTask& task = order_[stage][device.next];
    const std::size_t position = positions_[stage * pipelineSize(chunks_) + pipelineSize(task.chunk)];
    const double ready = readyAt(task, position);
    if (ready == kPipelineNotYet) return false;
    const double begin = std::max(ready, device.end);
    device.end = begin + device.seconds[static_cast<std::size_t>(task.pass)];
    if (isRecording_)
        device.events.push_back({static_cast<int>(stage), task.chunk, task.microBatch, task.pass, begin, device.end});
    if (device.next++ == 0) device.begin = begin;
    if (task.pass == PipelinePass::forward)
        endOf(forward_, position, task) = device.end;
    else if (task.pass != PipelinePass::backwardWeight)
        endOf(backward_, position, task) = device.end;
    return true;
}

bool PipelineRun::advance(std::size_t stage) {
    const std::size_t before = devices_[stage].next;
    while (devices_[stage].next < order_[stage].size() && runNext(stage)) {
    }
    return devices_[stage].next > before;
}

void PipelineRun::sweepUntilDone() {
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t stage = 0; stage < devices_.size(); ++stage) moved |= advance(stage);
        for (std::size_t stage = devices_.size(); stage-- > 0;) moved |= advance(stage);
    }
    for (std::size_t stage = 0; stage < devices_.size(); ++stage)
        if (devices_[stage].next < order_[stage].size()) throw std::logic_error("a pipeline waits for itself");
}

double PipelineRun::busiest() const {
    double max = 0;
    for (int stage = 0; stage < pipeline_.stages; ++stage) {
        const PipelineStage& times = pipelineStage(pipeline_, stage);
        max = std::max(max, times.forward + times.backwardInput + times.backwardWeight);
    }
    return max * pipeline_.microBatches;
}

double PipelineRun::longestSpan() const {
    double longest = 0;
    for (const Device& device : devices_) longest = std::max(longest, device.end - device.begin);
    return longest;
}

std::vector<double> PipelineRun::inFlight() const {
    const double kept = pipeline_.keptForWeights;
    const std::array<double, 4> changes = {1, kept - 1, -kept, -1};  // in the order of PipelinePass
    std::vector<double> peaks;
    for (const auto& tasks : order_) {
        double held = 0, peak = 0;
        for (const PipelineTask& task : tasks) {
            held += changes[static_cast<std::size_t>(task.pass)];
            peak = std::max(peak, held);
        }
        peaks.push_back(peak / chunks_);
    }
    return peaks;
}

std::vector<PipelineEvent> PipelineRun::events() {
    isRecording_ = true;
    sweepUntilDone();
    std::vector<PipelineEvent> all;
    for (const Device& device : devices_) all.insert(all.end(), device.events.begin(), device.events.end());
    return all;
}

PipelineTimes PipelineRun::times() {
    sweepUntilDone();
    PipelineTimes times;
    for (const Device& device : devices_) times.makespan = std::max(times.makespan, device.end);
    times.span = longestSpan();
    // Rounding may put the work a little above the span.
    if (times.span > 0) times.bubbleShare = std::max(0.0, 1 - busiest() / times.span);
    times.inFlight = inFlight();
    return times;
}

}  // namespace

const PipelineStage& pipelineStage(const Pipeline& pipeline, int stage) {
    return pipeline.perStage.empty() ? pipeline.times : pipeline.perStage[pipelineSize(stage)];
}

PipelineTimes runPipelineOrder(const Pipeline& pipeline, const PipelineOrder& order) {
    return PipelineRun(pipeline, order).times();
}

std::string pipelineRefusal(const Pipeline& pipeline) {
    if (pipeline.stages < 1 || pipeline.microBatches < 1 || pipeline.chunks < 1)
        return "A pipeline has at least one stage, one micro-batch and one chunk a stage.";
    if (!isPipelineOfBearableSize(pipeline))
        return "A pipeline has at most 4,000,000 pairs of a micro-batch and a chunk of a stage.";
    if (!pipeline.perStage.empty() && pipeline.perStage.size() != pipelineSize(pipeline.stages))
        return "The times of a pipeline are given for all of its stages or for none.";
    if (!(pipeline.keptForWeights >= 0 && pipeline.keptForWeights <= 1))
        return "The share of activations that a pipeline keeps for the gradients of weights is from 0 to 1.";
    if (!isPipelineTime(pipeline.transfer) || !arePipelineTimes(pipeline.times) ||
        !std::all_of(pipeline.perStage.begin(), pipeline.perStage.end(), arePipelineTimes))
        return "The times of a pipeline are seconds, 0 or more.";
    if (pipeline.schedule == PipelineSchedule::interleaved && pipeline.microBatches % pipeline.stages != 0)
        return "The interleaved schedule takes a number of micro-batches that its stages divide.";
    return {};
}

std::vector<PipelineEvent> pipelineEvents(const Pipeline& pipeline) {
    if (const std::string why = pipelineRefusal(pipeline); !why.empty()) throw UsageError(why);
    return PipelineRun(pipeline, pipelineOrder(pipeline)).events();
}

PipelineTimes simulatePipeline(const Pipeline& pipeline) {
    if (const std::string why = pipelineRefusal(pipeline); !why.empty()) throw UsageError(why);
    return runPipelineOrder(pipeline, pipelineOrder(pipeline));
}

}  // namespace tessera::physical
