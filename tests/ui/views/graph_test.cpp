#include <gtest/gtest.h>

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>
#include <QWheelEvent>
#include <cmath>

#include "core/model/builder.h"
#include "core/report/graph_layout.h"
#include "tests/support/paths.h"
#include "tests/support/pictures.h"
#include "ui/theme/theme.h"
#include "ui/views/graph_view.h"

namespace tessera::ui {
namespace {

/// The longest time between two ticks of a timer: how long the window could not answer.
class Ticker {
public:
    Ticker() {
        timer_.setInterval(1);
        timer_.callOnTimeout([this] {
            longest_ = std::max(longest_, clock_.restart());
            ++ticks_;
        });
        clock_.start();
        timer_.start();
    }
    qint64 longest() const { return longest_; }
    int ticks() const { return ticks_; }

private:
    QTimer timer_;
    QElapsedTimer clock_;
    qint64 longest_ = 0;
    int ticks_ = 0;
};

std::shared_ptr<const ModelContents> contentsOf(const QString& key) {
    return loadContents(key, {});
}

bool waitForLayout(const GraphView& view) {
    return test::waitUntil([&] { return view.isLaidOut(); }, 20'000);
}

int nodeLabelled(const ModelContents& contents, const std::string& label) {
    for (std::size_t i = 0; i < contents.fold.nodes.size(); ++i)
        if (contents.fold.nodes[i].label == label) return static_cast<int>(i);
    return -1;
}

class GraphViewTest : public testing::Test {
protected:
    void show(const QString& key) {
        contents = contentsOf(key);
        view.resize(1000, 700);
        view.setContents(contents);
        ASSERT_TRUE(waitForLayout(view));
    }
    std::shared_ptr<const ModelContents> contents;
    GraphView view;
};

TEST_F(GraphViewTest, showsAModelFolded) {
    show(QStringLiteral("zoo:resnet50"));
    EXPECT_EQ(view.visibleCount(), 13);
    EXPECT_TRUE(view.note().isEmpty()) << view.note().toStdString();
    EXPECT_GT(test::coloursIn(test::savePicture(view, QStringLiteral("graph-resnet50"))), 20);
    const int repeat = nodeLabelled(*contents, "layer3.1 … layer3.5");
    ASSERT_GE(repeat, 0);
    EXPECT_FALSE(view.nodeRect(repeat).isNull());
}

TEST_F(GraphViewTest, opensABlockWhereItIs) {
    show(QStringLiteral("zoo:resnet50"));
    const int block = nodeLabelled(*contents, "layer2.0");
    const QRectF before = view.nodeRect(block);
    view.expand(block);
    ASSERT_TRUE(waitForLayout(view));
    const QRectF after = view.nodeRect(block);
    EXPECT_EQ(view.visibleCount(), 17);
    EXPECT_NEAR(before.center().x(), after.center().x(), 1);
    EXPECT_NEAR(before.top(), after.top(), 1);
    view.select(block);
    test::savePicture(view, QStringLiteral("graph-resnet50-open"));
    view.collapse(block);
    ASSERT_TRUE(waitForLayout(view));
    EXPECT_EQ(view.visibleCount(), 13);
    ASSERT_TRUE(view.canGoBack());
    view.back();
    ASSERT_TRUE(waitForLayout(view));
    EXPECT_TRUE(view.isExpanded(block));
    view.forward();
    ASSERT_TRUE(waitForLayout(view));
    EXPECT_FALSE(view.isExpanded(block));
}

TEST_F(GraphViewTest, walksAlongTheEdgesByKeyboard) {
    show(QStringLiteral("zoo:resnet50"));
    QTest::keyClick(&view, Qt::Key_Home);
    const int first = view.selected();
    QTest::keyClick(&view, Qt::Key_Down);
    EXPECT_EQ(contents->node(view.selected()).label, "conv1");
    QTest::keyClick(&view, Qt::Key_Down);
    EXPECT_EQ(contents->node(view.selected()).label, "layer1.0");
    QTest::keyClick(&view, Qt::Key_Return);
    ASSERT_TRUE(waitForLayout(view));
    EXPECT_TRUE(view.isExpanded(view.selected()));
    QTest::keyClick(&view, Qt::Key_Down);
    EXPECT_EQ(contents->node(view.selected()).label, "conv1");
    QTest::keyClick(&view, Qt::Key_Backspace);
    ASSERT_TRUE(waitForLayout(view));
    EXPECT_EQ(contents->node(view.selected()).label, "layer1.0");
    QTest::keyClick(&view, Qt::Key_Up);
    QTest::keyClick(&view, Qt::Key_Up);
    EXPECT_EQ(view.selected(), first);
}

TEST_F(GraphViewTest, findsByNameTypeAndShape) {
    show(QStringLiteral("zoo:resnet50"));
    EXPECT_EQ(view.search(QStringLiteral("layer4.2.conv3")), 2);  // with its normalisation
    ASSERT_TRUE(waitForLayout(view));
    EXPECT_EQ(view.searchPosition(), 1);
    EXPECT_FALSE(view.nodeRect(view.selected()).isNull());
    EXPECT_EQ(contents->node(view.selected()).kind, model::FoldKind::leaf);
    EXPECT_EQ(view.search(QStringLiteral("MaxPool")), 1);
    EXPECT_GT(view.search(QStringLiteral("1x2048x7x7")), 5);
    view.searchNext(-1);
    EXPECT_EQ(view.search(QStringLiteral("no such thing")), 0);
    EXPECT_EQ(view.searchPosition(), 0);
}

TEST_F(GraphViewTest, zoomsToTheCursor) {
    show(QStringLiteral("zoo:resnet50"));
    const int node = nodeLabelled(*contents, "layer2.0");
    const QPointF under = view.nodeRect(node).center();
    const double before = view.zoom();
    QWheelEvent wheel(under, view.mapToGlobal(under), {}, {0, 240}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                      false);
    QCoreApplication::sendEvent(&view, &wheel);
    EXPECT_GT(view.zoom(), before);
    EXPECT_NEAR(view.nodeRect(node).center().x(), under.x(), 1);
    EXPECT_NEAR(view.nodeRect(node).center().y(), under.y(), 1);
    view.fit();
    EXPECT_TRUE(QRectF(view.rect()).contains(view.nodeRect(node)));
}

TEST_F(GraphViewTest, exportsWhatIsShown) {
    show(QStringLiteral("zoo:resnet50"));
    const Exportable exported = view.exportable();
    ASSERT_TRUE(exported.svg);
    const std::string svg = exported.svg(report::Theme(report::ThemeKind::light));
    EXPECT_NE(svg.find("layer3.1 … layer3.5"), std::string::npos);
    EXPECT_NE(svg.find("×5"), std::string::npos);
    EXPECT_EQ(svg, exported.svg(report::Theme(report::ThemeKind::light)));
    EXPECT_NE(exported.dot().find("n0 -> n1"), std::string::npos);
}

TEST_F(GraphViewTest, takesUpASavedView) {
    show(QStringLiteral("zoo:resnet50"));
    view.expand(nodeLabelled(*contents, "layer2.0"));
    ASSERT_TRUE(waitForLayout(view));
    view.setColourBy(ColourBy::flops);
    const QJsonObject saved = view.saveView();
    GraphView other;
    other.resize(1000, 700);
    other.setContents(contents);
    other.restoreView(saved);
    ASSERT_TRUE(waitForLayout(other));
    EXPECT_TRUE(other.isExpanded(nodeLabelled(*contents, "layer2.0")));
    EXPECT_EQ(other.colourBy(), ColourBy::flops);
    other.restoreView(QJsonObject{{QStringLiteral("open"), 7}, {QStringLiteral("zoom"), QStringLiteral("x")}});
    EXPECT_TRUE(waitForLayout(other));
}

TEST_F(GraphViewTest, opensNoMoreThanALayoutBears) {
    show(QStringLiteral("zoo:densenet121"));
    view.expandAll();
    ASSERT_TRUE(waitForLayout(view));
    EXPECT_GT(view.visibleCount(), 100);
    EXPECT_LE(view.visibleCount(), kMostVisibleNodes);
    view.collapseAll();
    ASSERT_TRUE(waitForLayout(view));
    EXPECT_LE(view.visibleCount(), 20);
}

TEST(GraphLayout, worksWithoutGraphviz) {
    report::LayoutRequest request;
    request.frames.push_back({-1, 100});
    for (int i = 0; i < 6; ++i) request.nodes.push_back({100, 40, i >= 2 && i < 4 ? 0 : -1});
    for (std::size_t i = 1; i < 6; ++i) request.edges.push_back({i - 1, i, true});
    request.edges.push_back({0, 5, true});
    const report::Layout layout = report::layoutInRows(request);
    for (std::size_t i = 1; i < 6; ++i) EXPECT_GT(layout.nodes[i].y, layout.nodes[i - 1].bottom());
    EXPECT_LT(layout.frames[0].y, layout.nodes[2].y);
    EXPECT_GT(layout.frames[0].bottom(), layout.nodes[3].bottom());
    EXPECT_GE(layout.width, 100);
    EXPECT_EQ(layout.edges.size(), request.edges.size());

    const QByteArray path = qgetenv("PATH");
    qputenv("PATH", "/nowhere");
    const report::Layout fallen = report::layOut(request);
    qputenv("PATH", path);
    EXPECT_NE(fallen.note.find("install Graphviz"), std::string::npos) << fallen.note;
    EXPECT_EQ(fallen.nodes.size(), 6U);
}

/// 10,000 operators: 100 blocks of 10 layers of 10 operators.
model::Graph largeGraph() {
    model::GraphBuilder builder("large", "test");
    builder.addInput("x", model::DataType::float32, std::vector<std::int64_t>{1, 64, 8, 8});
    std::string x = "x";
    for (int block = 0; block < 100; ++block)
        for (int layer = 0; layer < 10; ++layer)
            for (int i = 0; i < 10; ++i) {
                // Every block is a little different, so that nothing folds by repetition.
                const std::string scope = "stage" + std::to_string(block / 25) + "." + std::to_string(block);
                const std::string name = scope + ".layer" + std::to_string(layer) + ".op" + std::to_string(i);
                model::Attributes attributes;
                const bool slope = i == 0;
                if (slope) attributes["alpha"] = 0.001 * (1 + block);
                x = builder.add({.type = slope ? "LeakyRelu" : "Relu",
                                 .inputs = {x},
                                 .outputs = {name},
                                 .attributes = attributes,
                                 .name = name,
                                 .domain = {},
                                 .layer = scope + ".layer" + std::to_string(layer),
                                 .block = scope});
            }
    builder.addOutput(x);
    return std::move(builder).build();
}

TEST(GraphViewStress, staysFluidWithTenThousandOperators) {
    auto contents = std::make_shared<ModelContents>();
    contents->model.form = largeGraph();
    contents->model.name = "large";
    completeContents(*contents);
    ASSERT_EQ(contents->total(0).operators, 10'000);
    GraphView view;
    view.resize(1200, 800);
    view.show();
    Ticker ticker;
    QElapsedTimer clock;
    clock.start();
    view.setContents(contents);
    ASSERT_TRUE(waitForLayout(view));
    const qint64 first = clock.restart();
    const int block = nodeLabelled(*contents, "30");
    ASSERT_GE(block, 0);
    view.expand(block);
    ASSERT_TRUE(waitForLayout(view));
    const qint64 expanded = clock.restart();
    view.setColourBy(ColourBy::memory);
    view.repaint();
    const qint64 recoloured = clock.restart();
    view.expandAll();
    ASSERT_TRUE(waitForLayout(view));
    EXPECT_LE(view.visibleCount(), kMostVisibleNodes);
    RecordProperty("first_paint_ms", static_cast<int>(first));
    RecordProperty("expand_ms", static_cast<int>(expanded));
    RecordProperty("recolour_ms", static_cast<int>(recoloured));
    RecordProperty("longest_block_ms", static_cast<int>(ticker.longest()));
    // Several times the promised bounds, which the benchmark holds on a quiet machine: tests run beside others.
    EXPECT_LT(first, 5000);
    EXPECT_LT(expanded, 3000);
    EXPECT_LT(recoloured, 500);
    EXPECT_LT(ticker.longest(), 400);
    test::savePicture(view, QStringLiteral("graph-large"));
}

}  // namespace
}  // namespace tessera::ui
