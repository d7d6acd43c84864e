#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/base/progress.h"
#include "core/study/reproduce.h"

/// The papers whose figures are recomputed; each file has one paper's.
namespace tessera::study {

std::vector<Figure> accparFigures();
std::vector<Figure> magmaFigures();
std::vector<Figure> centimaniFigures();

/// Reports the number of finished parts; called from several threads.
class PartCounter {
public:
    PartCounter(const ProgressSink& sink, std::string task, std::size_t total)
        : sink_(sink), task_(std::move(task)), total_(total) {}
    void finishOne() {
        if (!sink_) {
            ++done_;
            return;
        }
        ProgressEvent event;
        event.task = task_;
        event.done = static_cast<double>(++done_);
        event.total = static_cast<double>(total_);
        sink_(event);
    }

private:
    const ProgressSink& sink_;
    std::string task_;
    std::size_t total_;
    std::atomic<std::size_t> done_ = 0;
};

}  // namespace tessera::study
