#include "ui/views/runs/report_document.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QScrollArea>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <nlohmann/json.hpp>

#include "tests/support/partition_result.h"
#include "tests/support/pictures.h"
#include "tests/support/plan_result.h"
#include "tests/support/runs.h"
#include "ui/theme/theme.h"
#include "ui/views/message_bar.h"

namespace tessera::ui {
namespace {

using test::savePicture;
using test::waitUntil;

RunState stateOf(const study::Result& result, const QString& title) {
    RunState state;
    state.study = result.study;
    state.title = title;
    state.status = store::RunStatus::done;
    state.result = std::make_shared<const study::Result>(result);
    return state;
}

QByteArray exported(ReportDocument& document, const QString& path) {
    QSignalSpy spy(&document, &Document::done);
    document.exportReport(path);
    waitUntil([&] { return !spy.isEmpty(); }, 20000);
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

TEST(ReportDocument, previewsAndExportsChosenSections) {
    ReportDocument document(QStringLiteral("1,2"));
    document.setRuns({stateOf(test::handMadeResult(), QStringLiteral("first <b>")),
                      stateOf(test::handMadeResult(), QStringLiteral("second"))});
    document.setReportTitle(QStringLiteral("What we tried"));
    ASSERT_TRUE(waitUntil([&] { return document.pageCount() > 0; }, 20000));
    const QTemporaryDir folder;
    const QByteArray whole = exported(document, folder.filePath(QStringLiteral("a.html")));
    EXPECT_TRUE(whole.contains("What we tried"));
    EXPECT_TRUE(whole.contains("first &lt;b&gt;"));
    EXPECT_TRUE(whole.contains("Comparison"));
    EXPECT_TRUE(whole.contains("Assumptions"));
    EXPECT_TRUE(whole.contains("<svg"));
    report::ReportOptions options;
    options.pictures = options.assumptions = options.comparison = false;
    document.setOptions(options);
    const QByteArray part = exported(document, folder.filePath(QStringLiteral("b.html")));
    EXPECT_FALSE(part.contains("<svg"));
    EXPECT_FALSE(part.contains("Assumptions"));
    EXPECT_FALSE(part.contains("Comparison of"));
    EXPECT_TRUE(part.contains("6.31× over data parallelism"));
    const QByteArray text = exported(document, folder.filePath(QStringLiteral("c.md")));
    EXPECT_TRUE(text.startsWith("# What we tried"));
}

TEST(ReportDocument, pagesAreAsWideAsThePreview) {
    ReportDocument document(QStringLiteral("1"));
    document.setRuns({stateOf(test::handMadeResult(), QStringLiteral("first"))});
    document.resize(800, 700);
    document.show();
    ASSERT_TRUE(waitUntil([&] { return document.pageCount() > 0; }, 20000));
    const auto page = [&] {
        for (auto* label : document.findChildren<QLabel*>())
            if (label->accessibleName() == QStringLiteral("Page of the report")) return label->width();
        return 0;
    };
    const auto* preview = document.findChild<QScrollArea*>();
    ASSERT_NE(preview, nullptr);
    EXPECT_LE(page(), preview->viewport()->width());
    EXPECT_GT(page(), preview->viewport()->width() * 3 / 4);
    const int narrow = page();
    document.resize(1300, 700);
    ASSERT_TRUE(waitUntil([&] { return page() > narrow; }));
    EXPECT_LE(page(), preview->viewport()->width());
    for (auto* box : document.findChildren<QComboBox*>()) box->setCurrentIndex(box->findText(QStringLiteral("100 %")));
    EXPECT_EQ(page(), 794);
}

TEST(ReportDocument, previewsWithoutTheProgramThatPrints) {
    const QByteArray path = qgetenv("PATH");
    qputenv("PATH", "/nowhere");
    ReportDocument document(QStringLiteral("1"));
    document.setRuns({stateOf(test::handMadeResult(), QStringLiteral("first"))});
    document.resize(900, 700);
    document.show();
    const bool drawn = waitUntil([&] { return document.pageCount() > 0; }, 20000);
    qputenv("PATH", path);
    ASSERT_TRUE(drawn);
    const auto* note = document.findChild<MessageBar*>();
    ASSERT_NE(note, nullptr);
    EXPECT_TRUE(note->isVisible());
    EXPECT_TRUE(note->message().contains(QStringLiteral("rsvg-convert"))) << note->message().toStdString();
    QCoreApplication::processEvents();  // the pages take their places
    EXPECT_GT(test::coloursIn(savePicture(document, QStringLiteral("report-by-qt"))), 40);
}

TEST(ReportDocument, writesAPdf) {
    ReportDocument document(QStringLiteral("1"));
    document.setRuns({stateOf(test::handMadeResult(), QStringLiteral("first"))});
    const QTemporaryDir folder;
    const QByteArray pdf = exported(document, folder.filePath(QStringLiteral("a.pdf")));
    EXPECT_TRUE(pdf.startsWith("%PDF-"));
}

/// By Qt, where the program that prints pages is missing: with its files, and pages that lie on their side.
TEST(ReportDocument, writesAPdfWithoutTheProgramThatPrints) {
    ReportDocument document(QStringLiteral("1"));
    document.setRuns({stateOf(test::smallPlan(), QStringLiteral("first"))});
    report::ReportOptions options;
    options.studies = true;
    document.setOptions(options);
    const QTemporaryDir folder;
    const QByteArray path = qgetenv("PATH");
    qputenv("PATH", "/nowhere");
    const QByteArray pdf = exported(document, folder.filePath(QStringLiteral("a.pdf")));
    qputenv("PATH", path);
    EXPECT_TRUE(pdf.startsWith("%PDF-"));
    EXPECT_GT(pdf.count("/Type /Page\n"), 1);
    EXPECT_TRUE(pdf.contains("/EmbeddedFiles"));
    EXPECT_TRUE(pdf.contains("tessera.study/1"));
}

TEST(ReportDocument, remembersItsChoices) {
    ReportDocument first(QStringLiteral("1"));
    report::ReportOptions options;
    options.tables = false;
    first.setOptions(options);
    first.setReportTitle(QStringLiteral("Mine"));
    ReportDocument second(QStringLiteral("1"));
    second.restoreView(first.saveView());
    EXPECT_FALSE(second.options().tables);
    EXPECT_FALSE(second.options().studies) << "an appendix is for those who ask";
    EXPECT_TRUE(second.options().pictures);
    EXPECT_EQ(second.saveView(), first.saveView());
}

TEST(ReportDocument, aRealReportLooksRight) {
    ReportDocument document(QStringLiteral("1,2"));
    document.resize(1100, 1200);
    document.setRuns({stateOf(test::solved("zoo:resnet50", "accpar-heterogeneous"), QStringLiteral("Mixed TPUs")),
                      stateOf(test::solved("zoo:resnet50", "accpar-homogeneous"), QStringLiteral("TPU-v3 alone"))});
    ASSERT_TRUE(waitUntil([&] { return document.pageCount() > 1; }, 30000));
    EXPECT_GT(test::coloursIn(savePicture(document, QStringLiteral("report"))), 10);
}

}  // namespace
}  // namespace tessera::ui
