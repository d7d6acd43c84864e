// How long a frame of a plot of 100,000 points takes in the window: 20 frames a second leave 50 ms for one. Measured in
// CPU time of the thread, so that a busy machine does not count.
#include <benchmark/benchmark.h>

#include <QApplication>
#include <QImage>
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "core/draw/picture.h"
#include "tests/bench/target.h"
#include "tests/bench/widgets.h"
#include "tests/support/work.h"
#include "ui/views/plot/plot_widget.h"

namespace tessera::ui {
namespace {

constexpr std::size_t kPoints = 100'000;

using report::Mark;

/// CPU seconds of this thread.
double now() {
    return 1e-3 * test::workMilliseconds();
}

report::Chart chartOf(Mark mark, std::size_t series) {
    report::Chart chart{.id = "points", .title = "Points"};
    chart.x = {.title = "Samples"};
    chart.y = {.title = "Step time", .measure = Measure::seconds};
    for (std::size_t s = 0; s < series; ++s) {
        report::Series each{.id = "s", .name = "series", .mark = mark, .colour = "#2F6FDE"};
        for (std::size_t i = 0; i < kPoints / series; ++i) {
            const auto x = static_cast<double>(i);
            each.x.push_back(x);
            each.y.push_back(0.5 + 0.25 * std::sin(x * 0.37 + static_cast<double>(s)) +
                             1e-4 * std::fmod(x * 7919, 997));
        }
        chart.series.push_back(std::move(each));
    }
    return chart;
}

/// A plot that is painted as on a screen of two dots per pixel.
class Screen {
public:
    Screen() : picture_(QSize(2000, 1200), QImage::Format_ARGB32_Premultiplied) {
        picture_.setDevicePixelRatio(2);
        plot.resize(1000, 600);
    }
    void paint() { plot.render(&picture_); }
    void wheel(int turns) {
        const QPointF at(480, 300);
        QWheelEvent event(at, plot.mapToGlobal(at), {}, {0, 120 * turns}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&plot, &event);
    }
    void mouse(QEvent::Type type, QPointF at, Qt::MouseButtons pressed) {
        const Qt::MouseButton button = type == QEvent::MouseMove ? Qt::NoButton : Qt::LeftButton;
        QMouseEvent event(type, at, plot.mapToGlobal(at), button, pressed, {});
        QCoreApplication::sendEvent(&plot, &event);
    }
    PlotWidget plot;

private:
    QImage picture_;
};

enum class Act { show, zoom, pan, hover };

void frames(benchmark::State& state, Mark mark, std::size_t series, Act act, const std::string& of) {
    makeApplication();
    Screen screen;
    const report::Chart chart = chartOf(mark, series);
    screen.plot.setChart(chart);
    screen.paint();
    if (act == Act::pan) {
        screen.wheel(4);
        screen.mouse(QEvent::MouseButtonPress, {480, 300}, Qt::LeftButton);
    }
    double worst = 0;
    int frame = 0;
    for (auto unused : state) {
        ++frame;
        const double start = now();
        switch (act) {
            case Act::show:
                screen.plot.setChart(chart);
                break;
            case Act::zoom:
                screen.wheel(frame % 8 < 4 ? 1 : -1);
                break;
            case Act::pan:
                screen.mouse(QEvent::MouseMove, {480.0 + frame % 40 * 5, 300}, Qt::LeftButton);
                break;
            case Act::hover:
                screen.mouse(QEvent::MouseMove, {300.0 + frame % 200, 250.0 + frame % 37}, Qt::NoButton);
                break;
        }
        screen.paint();
        worst = std::max(worst, now() - start);
        state.SetIterationTime(now() - start);
    }
    bench::hold(state, {.what = "A frame of a plot of 100,000 points", .bound = 0.05}, worst, of);
}

struct Shape {
    const char* name;
    Mark mark;
    std::size_t series;
};

[[maybe_unused]] const int kRegistered = [] {
    for (const Shape& shape : {Shape{"curve", Mark::line, 1}, Shape{"steps", Mark::steps, 1},
                               Shape{"eight_curves", Mark::line, 8}, Shape{"cloud", Mark::points, 1}})
        for (const auto& [name, act] : {std::pair{"show", Act::show}, std::pair{"zoom", Act::zoom},
                                        std::pair{"pan", Act::pan}, std::pair{"hover", Act::hover}})
            benchmark::RegisterBenchmark((std::string("plot/") + shape.name + "/" + name).c_str(), frames, shape.mark,
                                         shape.series, act, std::string(shape.name) + ", " + name)
                ->Unit(benchmark::kMillisecond)
                ->UseManualTime();
    return 0;
}();

}  // namespace
}  // namespace tessera::ui
