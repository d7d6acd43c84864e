// How long a frame of the workbench with 100,000 points takes: 20 frames a second leave 50 ms for one, whatever is
// done. Two pictures side by side at 1440 × 900, as on a screen of one dot per pixel. Measured in CPU time of the
// thread, so that a busy machine does not count.
#include <benchmark/benchmark.h>

#include <QApplication>
#include <QImage>
#include <QJsonArray>
#include <QJsonObject>
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "tests/bench/target.h"
#include "tests/bench/widgets.h"
#include "tests/support/point_table.h"
#include "tests/support/work.h"
#include "ui/views/plot/parallel_view.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/workbench/filter_panel.h"
#include "ui/views/workbench/workbench.h"

namespace tessera::ui {
namespace {

constexpr std::size_t kPoints = 100'000;

/// CPU seconds of this thread.
double now() {
    return 1e-3 * test::workMilliseconds();
}

enum class Act { brush, hover, pan, zoom, choose, colour, filters, append };

struct Seen {
    const char* name;
    const char* left;
    const char* right;
};

void settle() {
    // What waits for the next turn of the event loop belongs to the frame.
    for (int turn = 0; turn < 3; ++turn) {
        QCoreApplication::sendPostedEvents();
        QCoreApplication::processEvents();
    }
}

class Bench {
public:
    explicit Bench(const Seen& seen) : picture_(QSize(1440, 900), QImage::Format_ARGB32_Premultiplied) {
        bench.setPoints(test::sharedPoints(test::madeUpPoints(kPoints)));
        bench.resize(1440, 900);
        bench.ensurePolished();
        bench.show();
        bench.restoreState({{"pictures", QJsonArray{seen.left, seen.right}}});
        settle();
        paint();
    }
    void paint() {
        settle();
        bench.render(&picture_);
    }
    static void mouse(QWidget& widget, QEvent::Type type, QPointF at, Qt::MouseButtons pressed) {
        const Qt::MouseButton button = type == QEvent::MouseMove ? Qt::NoButton : Qt::LeftButton;
        QMouseEvent event(type, at, widget.mapToGlobal(at), button, pressed, {});
        QCoreApplication::sendEvent(&widget, &event);
    }
    static void wheel(QWidget& widget, int turns) {
        const QPointF at = widget.rect().center();
        QWheelEvent event(at, widget.mapToGlobal(at), {}, {0, 120 * turns}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&widget, &event);
    }

    Workbench bench{nullptr};

private:
    QImage picture_;
};

void frames(benchmark::State& state, const Seen& seen, Act act, const std::string& of) {
    makeApplication();
    Bench screen(seen);
    Workbench& bench = screen.bench;
    PlotWidget& plot = *bench.plot();
    explore::PointTable more = test::madeUpPoints(kPoints);
    if (act == Act::pan) {
        Bench::wheel(plot, 3);
        screen.paint();
        Bench::mouse(plot, QEvent::MouseButtonPress, plot.rect().center(), Qt::LeftButton);
    }
    if (act == Act::filters) bench.restoreState({{"filters", true}, {"pictures", QJsonArray{seen.left, seen.right}}});
    screen.paint();
    double worst = 0;
    int frame = 0;
    for (auto unused : state) {
        ++frame;
        const double step = frame % 40;
        PointSelection::Table appended;
        if (act == Act::append) {
            for (explore::PointColumn& column : more.columns) column.values.push_back(column.values.front());
            more.reasons.emplace_back();
            more.marks.push_back(0);
            appended = test::sharedPoints(more);
        }
        const double start = now();
        switch (act) {
            case Act::brush:
            case Act::filters:
                bench.selection().setRange(1, PointSelection::Range{0, 0.01 + 0.002 * step});
                break;
            case Act::hover:
                Bench::mouse(plot, QEvent::MouseMove, plot.rect().center() + QPointF(3 * step, 2 * step), Qt::NoButton);
                break;
            case Act::pan:
                Bench::mouse(plot, QEvent::MouseMove, plot.rect().center() + QPointF(4 * step, step), Qt::LeftButton);
                break;
            case Act::zoom:
                Bench::wheel(plot, frame % 8 < 4 ? 1 : -1);
                break;
            case Act::choose:
                bench.selection().choose(frame * 977 % static_cast<int>(kPoints));
                break;
            case Act::colour:
                bench.selection().setColour(frame % 2 == 0 ? 2 : 6);
                break;
            case Act::append:
                bench.setPoints(std::move(appended));
                break;
        }
        screen.paint();
        worst = std::max(worst, now() - start);
        state.SetIterationTime(now() - start);
    }
    // Points come a few times a second, another colour once in a while: neither is part of a movement.
    const bench::Target moving{.what = "A frame of the workbench with 100,000 points", .bound = 0.05};
    const bench::Target once{.what = "A change of points or colours, 100,000 in the workbench,", .bound = 0.1};
    bench::hold(state, act == Act::append || act == Act::colour ? once : moving, worst, of);
}

[[maybe_unused]] const int kRegistered = [] {
    static constexpr std::array kSeen{Seen{"scatter_parallel", "scatter", "parallel"},
                                      Seen{"scatter_matrix", "scatter", "matrix"}};
    for (const Seen& seen : kSeen)
        for (const auto& [name, act] :
             {std::pair{"brush", Act::brush}, std::pair{"filters", Act::filters}, std::pair{"hover", Act::hover},
              std::pair{"pan", Act::pan}, std::pair{"zoom", Act::zoom}, std::pair{"choose", Act::choose},
              std::pair{"colour", Act::colour}, std::pair{"append", Act::append}})
            benchmark::RegisterBenchmark((std::string("workbench/") + seen.name + "/" + name).c_str(), frames, seen,
                                         act, std::string(seen.name) + ", " + name)
                ->Unit(benchmark::kMillisecond)
                ->UseManualTime();
    return 0;
}();

}  // namespace
}  // namespace tessera::ui
