#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <utility>

#include "core/physical/pipeline_orders.h"

namespace tessera::physical {
namespace {

constexpr std::size_t searchIndex(int count) {
    return static_cast<std::size_t>(count);
}

/// True where another micro-batch (or chunk) fits beside those in memory; sums of shares are not exact.
bool fitsPipeline(double held, int limit) {
    return held + 1 <= limit + 1e-9;
}

/// What the search of section 3.1 leaves open; all combinations are tried.
struct ZeroBubbleChoices {
    bool waitForFirstBackward = false;  ///< rather idle than delay the first B by another F
    bool backwardFirst = false;         ///< leave out an F where it would delay the next B of the stage below
    bool fillSmallGaps = false;         ///< put a W also into a gap shorter than it
};

/// The search on a pipeline without chunks: in each round a forward and a backward pass of every stage, before which
/// gradients of weights fill the time that the stage would wait.
class ZeroBubbleSearch {
public:
    ZeroBubbleSearch(const Pipeline& pipeline, int limit, ZeroBubbleChoices choices);
    /// Returns nothing where the choices need more memory than there is.
    PipelineOrder order();

private:
    struct Stage {
        PipelineStage times = {};
        int forwards = 0, backwards = 0, weights = 0;
        double end = 0;
        double idle = 0;  ///< since its first forward pass
        double held = 0;  ///< micro-batches in memory
        std::vector<double> forwardEnds = {}, backwardEnds = {};
        std::vector<PipelineTask> tasks = {};
    };

    void warmUp();
    std::vector<int> furtherForwards();
    void runForwards();
    void runBackwards();
    bool wantsForward(int j);
    bool delaysStageBelow(int j);
    void fillUntil(Stage& stage, double arrival);
    void freeMemory(Stage& stage);
    double forwardArrival(int j);
    double backwardArrival(int j);
    void putForward(int j);
    void putBackward(int j);
    void putWeight(Stage& stage) const;
    bool hasRoom(const Stage& stage, int freed) const { return fitsPipeline(stage.held - freed * kept_, limit_); }
    static void begin(Stage& stage, double arrival);
    double mostIdle() const;
    Stage& at(int j) { return stages_[searchIndex(j)]; }
    bool isLast(int j) const { return j + 1 == p_; }

    int p_, m_, limit_;
    double transfer_, kept_;
    ZeroBubbleChoices choices_;
    bool fits_ = true;
    std::vector<Stage> stages_;
};

ZeroBubbleSearch::ZeroBubbleSearch(const Pipeline& pipeline, int limit, ZeroBubbleChoices choices)
    : p_(pipeline.stages),
      m_(pipeline.microBatches),
      limit_(limit),
      transfer_(pipeline.transfer),
      kept_(pipeline.keptForWeights),
      choices_(choices),
      stages_(searchIndex(p_)) {
    for (int j = 0; j < p_; ++j) {
        at(j).times = pipelineStage(pipeline, j);
        at(j).tasks.reserve(3 * searchIndex(m_));
        at(j).forwardEnds.reserve(searchIndex(m_));
        at(j).backwardEnds.reserve(searchIndex(m_));
    }
}

double ZeroBubbleSearch::mostIdle() const {
    double max = 0;
    for (const Stage& stage : stages_) max = std::max(max, stage.idle);
    return max;
}

/// When the input of a stage's next forward pass is there.
double ZeroBubbleSearch::forwardArrival(int j) {
    return j == 0 ? 0 : at(j - 1).forwardEnds[searchIndex(at(j).forwards)] + transfer_;
}

double ZeroBubbleSearch::backwardArrival(int j) {
    return isLast(j) ? 0 : at(j + 1).backwardEnds[searchIndex(at(j).backwards)] + transfer_;
}

void ZeroBubbleSearch::begin(Stage& stage, double arrival) {
    if (stage.forwards > 0) stage.idle += std::max(0.0, arrival - stage.end);
    stage.end = std::max(stage.end, arrival);
}

void ZeroBubbleSearch::putForward(int j) {
    Stage& stage = at(j);
    begin(stage, forwardArrival(j));
    stage.forwardEnds.push_back(stage.end += stage.times.forward);
    stage.tasks.push_back({PipelinePass::forward, 0, stage.forwards++});
    fits_ = fits_ && hasRoom(stage, 0);
    stage.held += 1;
}

void ZeroBubbleSearch::putBackward(int j) {
    Stage& stage = at(j);
    begin(stage, backwardArrival(j));
    stage.backwardEnds.push_back(stage.end += stage.times.backwardInput);
    stage.tasks.push_back({PipelinePass::backwardInput, 0, stage.backwards++});
    stage.held -= 1 - kept_;
}

void ZeroBubbleSearch::putWeight(Stage& stage) const {
    stage.end += stage.times.backwardWeight;
    stage.tasks.push_back({PipelinePass::backwardWeight, 0, stage.weights++});
    stage.held -= kept_;
}

void ZeroBubbleSearch::freeMemory(Stage& stage) {
    while (!hasRoom(stage, 0) && stage.weights < stage.backwards) putWeight(stage);
}

/// Whole gaps take a W; a smaller one does where the stage has been as idle as any, or on choice.
void ZeroBubbleSearch::fillUntil(Stage& stage, double arrival) {
    while (stage.weights < stage.backwards && stage.end + stage.times.backwardWeight <= arrival) putWeight(stage);
    if (stage.weights == stage.backwards || stage.end >= arrival) return;
    if (choices_.fillSmallGaps || arrival - stage.end > mostIdle() - stage.idle) putWeight(stage);
}

/// How many forward passes each stage runs between its first and its first backward pass: those that fit into its
/// memory and the time until then, and fewer than the stage above.
std::vector<int> ZeroBubbleSearch::furtherForwards() {
    std::vector<int> further(searchIndex(p_), 0);
    double below = at(p_ - 1).end + at(p_ - 1).times.backwardInput;
    for (int j = p_ - 2; j >= 0; --j) {
        const Stage& stage = at(j);
        double end = stage.end;
        int& count = further[searchIndex(j)];
        const double slack = choices_.waitForFirstBackward ? stage.times.forward : 0;
        const auto fits = [&] { return slack > 0 ? end + slack <= below + transfer_ : end < below + transfer_; };
        for (; count + 1 < std::min(m_, limit_) && fits(); ++count) end += stage.times.forward;
        below = std::max(end, below + transfer_) + stage.times.backwardInput;
    }
    for (std::size_t j = 1; j < further.size(); ++j) {
        const int above = further[j - 1];
        further[j] = std::min(further[j], further[j] + 1 < m_ ? std::max(above - 1, 0) : above);
    }
    return further;
}

void ZeroBubbleSearch::warmUp() {
    for (int j = 0; j < p_; ++j) putForward(j);
    const std::vector<int> further = furtherForwards();
    for (int j = 0; j < p_; ++j)
        for (int i = 0; i < further[searchIndex(j)]; ++i) putForward(j);
    for (int j = p_ - 1; j >= 0; --j) putBackward(j);
}

/// True where the next forward pass, with the gradients of weights that make room for it, would end after the stage
/// below could have sent its next gradient, and waiting for that makes no stage idler than the idlest.
bool ZeroBubbleSearch::delaysStageBelow(int j) {
    const Stage &stage = at(j), &next = at(j + 1);
    const double gradient = next.end + next.times.forward + next.times.backwardInput + transfer_;
    if (stage.end >= gradient) return true;
    int freed = 0;
    while (!hasRoom(stage, freed) && stage.weights + freed < stage.backwards) ++freed;
    if (stage.end + stage.times.forward + freed * stage.times.backwardWeight <= gradient) return false;
    return gradient - stage.end <= mostIdle() - stage.idle;
}

bool ZeroBubbleSearch::wantsForward(int j) {
    if (at(j).forwards >= m_) return false;
    const bool ahead = !isLast(j) && at(j).forwards >= at(j + 1).forwards + 2;
    return !(choices_.backwardFirst && ahead && delaysStageBelow(j));
}

void ZeroBubbleSearch::runForwards() {
    std::vector<char> wanted(searchIndex(p_));
    for (int j = p_ - 1; j >= 0; --j)
        wanted[searchIndex(j)] = wantsForward(j) && (isLast(j) || wanted[searchIndex(j + 1)] != 0);
    for (int j = 0; j < p_; ++j) {
        if (wanted[searchIndex(j)] == 0) continue;
        freeMemory(at(j));
        if (j > 0) fillUntil(at(j), forwardArrival(j));
        putForward(j);
    }
}

void ZeroBubbleSearch::runBackwards() {
    for (int j = p_ - 1; j >= 0; --j) {
        if (!isLast(j)) fillUntil(at(j), backwardArrival(j));
        while (j == 0 && at(j).forwards == m_ && at(j).weights < at(j).backwards) putWeight(at(j));
        putBackward(j);
    }
}

PipelineOrder ZeroBubbleSearch::order() {
    warmUp();
    for (int i = 1; i < m_; ++i) {
        runForwards();
        runBackwards();
    }
    PipelineOrder order;
    if (!fits_) return order;
    for (Stage& stage : stages_) {
        while (stage.weights < m_) putWeight(stage);
        order.push_back(std::move(stage.tasks));
    }
    return order;
}

/// The order of the shortest span, the first of equals (but for rounding).
class BestPipelineOrder {
public:
    explicit BestPipelineOrder(const Pipeline& pipeline) : pipeline_(pipeline) {}
    void offer(PipelineOrder order) {
        if (order.empty()) return;
        const double span = runPipelineOrder(pipeline_, order).span;
        if (!best_.empty() && span >= span_ * (1 - 1e-9)) return;
        span_ = span;
        best_ = std::move(order);
    }
    PipelineOrder take() { return std::move(best_); }

private:
    const Pipeline& pipeline_;
    double span_ = 0;
    PipelineOrder best_ = {};
};

constexpr std::size_t searchPass(PipelinePass pass) {
    return static_cast<std::size_t>(pass);
}

/// Two chunks, down the devices and up again, as if all passes took one slot of time and hops none: in each slot a
/// device begins what its inputs allow, gradients of weights where there is nothing else. Real times stretch the order
/// less than an order searched with them: those lose the rhythm of the steady phase.
class VShape {
public:
    /// `alternate`: after a backward pass rather a forward one, else backward passes first.
    VShape(const Pipeline& pipeline, bool alternate);
    PipelineOrder order();

private:
    struct Device {
        std::array<std::array<int, 2>, 3> done = {};  ///< by pass and chunk
        double held = 0;                              ///< chunks in memory
        bool afterBackward = false;
        std::vector<PipelineTask> tasks = {};
        std::vector<PipelineTask> pending = {};  ///< gradients of weights, those run before `firstPending`
        std::size_t firstPending = 0;
    };

    bool runSlot(int stage, int slot);
    bool tryPass(int stage, PipelinePass pass, int slot);
    bool tryWeight(Device& device) const;
    bool isReady(int stage, const PipelineTask& task, int slot);
    bool hasRoom(const Device& device, const PipelineTask& task) const;
    void run(int stage, const PipelineTask& task, int slot);
    int positionOf(int stage, int chunk) const { return chunk == 0 ? stage : 2 * p_ - 1 - stage; }
    int& slotOf(PipelinePass pass, int position, int microBatch);

    static constexpr int kNever = std::numeric_limits<int>::max();
    int p_, m_;
    double kept_;
    bool alternate_;
    std::vector<Device> devices_;
    std::array<std::vector<int>, 2> slots_ = {};  // of forward and backward passes, by position and micro-batch
};

VShape::VShape(const Pipeline& pipeline, bool alternate)
    : p_(pipeline.stages),
      m_(pipeline.microBatches),
      kept_(pipeline.keptForWeights),
      alternate_(alternate),
      devices_(searchIndex(p_)) {
    for (Device& device : devices_) {
        device.tasks.reserve(6 * searchIndex(m_));
        device.pending.reserve(2 * searchIndex(m_));
    }
    for (std::vector<int>& slots : slots_) slots.assign(2 * searchIndex(p_) * searchIndex(m_), kNever);
}

int& VShape::slotOf(PipelinePass pass, int position, int microBatch) {
    return slots_[searchPass(pass)][searchIndex(position) * searchIndex(m_) + searchIndex(microBatch)];
}

/// True where what a task needs has run in an earlier slot.
bool VShape::isReady(int stage, const PipelineTask& task, int slot) {
    const bool forward = task.pass == PipelinePass::forward;
    const int position = positionOf(stage, task.chunk);
    if (forward) return position == 0 || slotOf(task.pass, position - 1, task.microBatch) < slot;
    if (position == 2 * p_ - 1) return slotOf(PipelinePass::forward, position, task.microBatch) < slot;
    return slotOf(task.pass, position + 1, task.microBatch) < slot;
}

/// Forward passes of the first chunk leave room for one of the second, without which nothing would ever be freed.
bool VShape::hasRoom(const Device& device, const PipelineTask& task) const {
    if (task.pass != PipelinePass::forward) return true;
    return fitsPipeline(device.held, task.chunk == 0 ? 2 * p_ - 1 : 2 * p_);
}

void VShape::run(int stage, const PipelineTask& task, int slot) {
    Device& device = devices_[searchIndex(stage)];
    slotOf(task.pass, positionOf(stage, task.chunk), task.microBatch) = slot;
    ++device.done[searchPass(task.pass)][searchIndex(task.chunk)];
    device.tasks.push_back(task);
    device.afterBackward = task.pass == PipelinePass::backwardInput;
    device.held += device.afterBackward ? kept_ - 1 : 1;
    if (device.afterBackward) device.pending.push_back({PipelinePass::backwardWeight, task.chunk, task.microBatch});
}

/// A forward pass without room has a gradient of weights make some in its turn.
bool VShape::tryPass(int stage, PipelinePass pass, int slot) {
    Device& device = devices_[searchIndex(stage)];
    for (const int chunk : {1, 0}) {
        const PipelineTask task{pass, chunk, device.done[searchPass(pass)][searchIndex(chunk)]};
        if (task.microBatch == m_ || !isReady(stage, task, slot)) continue;
        const bool room = hasRoom(device, task);
        if (room) run(stage, task, slot);
        if (room || tryWeight(device)) return true;
    }
    return false;
}

bool VShape::tryWeight(Device& device) const {
    if (device.firstPending == device.pending.size()) return false;
    device.tasks.push_back(device.pending[device.firstPending++]);
    device.held -= kept_;
    return true;
}

/// True where the device did something.
bool VShape::runSlot(int stage, int slot) {
    Device& device = devices_[searchIndex(stage)];
    const bool forwardFirst = alternate_ && device.afterBackward;
    const PipelinePass first = forwardFirst ? PipelinePass::forward : PipelinePass::backwardInput;
    const PipelinePass second = forwardFirst ? PipelinePass::backwardInput : PipelinePass::forward;
    return tryPass(stage, first, slot) || tryPass(stage, second, slot) || tryWeight(device);
}

PipelineOrder VShape::order() {
    bool moved = true;
    for (int slot = 0; moved; ++slot) {
        moved = false;
        for (int stage = 0; stage < p_; ++stage) moved |= runSlot(stage, slot);
    }
    PipelineOrder order;
    for (Device& device : devices_) order.push_back(std::move(device.tasks));
    return order;
}

}  // namespace

PipelineOrder searchedOrder(const Pipeline& pipeline, bool twice) {
    const int limit = twice ? 2 * pipeline.stages : pipeline.stages;
    BestPipelineOrder best(pipeline);
    best.offer(handcraftedOrder(pipeline, twice));
    for (int choice = 0; choice < 8; ++choice)
        best.offer(
            ZeroBubbleSearch(pipeline, limit, {(choice & 4) != 0, (choice & 2) != 0, (choice & 1) != 0}).order());
    return best.take();
}

PipelineOrder vShapedOrder(const Pipeline& pipeline) {
    BestPipelineOrder best(pipeline);
    for (const bool alternate : {true, false}) best.offer(VShape(pipeline, alternate).order());
    return best.take();
}

}  // namespace tessera::physical
