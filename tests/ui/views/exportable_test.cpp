#include "ui/views/exportable.h"

#include <gtest/gtest.h>

#include <QClipboard>
#include <QFile>
#include <QFileDialog>
#include <QGuiApplication>
#include <QImage>
#include <QMenu>
#include <QMessageBox>
#include <QTemporaryDir>

#include "core/base/error.h"
#include "tests/support/pictures.h"

namespace tessera::ui {
namespace {

/// A blue square of 20 by 10.
Exportable square() {
    return {
        .name = QStringLiteral("../a square"),
        .svg =
            [](const report::Theme& theme) {
                return "<svg xmlns='http://www.w3.org/2000/svg' width='20' height='10'><rect width='20' height='10' "
                       "fill='" +
                       theme("accent") + "'/></svg>";
            },
        .csv = [] { return std::string("a,b\r\n1,2\r\n"); },
        .json = {},
        .jsonTitle = {},
        .dot = {}};
}

QByteArray bytesOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

class ExportTest : public testing::Test {
protected:
    QTemporaryDir folder;
    QString path(const char* name) const { return folder.filePath(QLatin1String(name)); }
};

TEST_F(ExportTest, writesTextFormatsAsTheyAre) {
    exportTo(square(), QStringLiteral("csv"), path("a.csv"));
    EXPECT_EQ(bytesOf(path("a.csv")), QByteArray("a,b\r\n1,2\r\n"));
    exportTo(square(), QStringLiteral("svg"), path("a.svg"));
    EXPECT_TRUE(bytesOf(path("a.svg")).contains("#2F6FDE"));
}

TEST_F(ExportTest, drawsPicturesAtTheScaleAskedFor) {
    exportTo(square(), QStringLiteral("png"), path("a.png"), 3.0);
    const QImage image(path("a.png"));
    EXPECT_EQ(image.size(), QSize(60, 30));
    EXPECT_EQ(image.pixelColor(30, 15).name(), QStringLiteral("#2f6fde"));
    exportTo(square(), QStringLiteral("pdf"), path("a.pdf"));
    EXPECT_TRUE(bytesOf(path("a.pdf")).startsWith("%PDF"));
}

TEST_F(ExportTest, writesFilesOfOtherProgramsInTheirSuffix) {
    Exportable toml{.name = QStringLiteral("plan")};
    toml.file = [] { return std::string("a = 1\n"); };
    toml.fileSuffix = QStringLiteral("toml");
    toml.fileTitle = QStringLiteral("A trainer (.toml)");
    exportTo(toml, QStringLiteral("toml"), path("plan.toml"));
    EXPECT_EQ(bytesOf(path("plan.toml")), QByteArray("a = 1\n"));
    EXPECT_THROW(exportTo(toml, QStringLiteral("csv"), path("plan.csv")), UsageError);
    QWidget owner;
    QMenu menu;
    addExportActions(menu, owner, [toml] { return toml; });
    ASSERT_EQ(menu.actions().size(), 1);
    EXPECT_EQ(menu.actions().front()->text(), QStringLiteral("A trainer (.toml)…"));
}

TEST_F(ExportTest, refusesWhatItCannotWrite) {
    EXPECT_THROW(exportTo(square(), QStringLiteral("dot"), path("a.dot")), UsageError);
    EXPECT_THROW(exportTo(square(), QStringLiteral("exe"), path("a.exe")), UsageError);
    EXPECT_THROW(exportTo(square(), QStringLiteral("csv"), path("no/such/folder/a.csv")), FileError);
}

TEST_F(ExportTest, writesByQtWhereTheConverterIsMissing) {
    const QByteArray programs = qgetenv("PATH");
    qputenv("PATH", "/nonexistent");
    exportTo(square(), QStringLiteral("pdf"), path("a.pdf"));
    exportTo(square(), QStringLiteral("png"), path("a.png"), 2);
    qputenv("PATH", programs);
    EXPECT_TRUE(bytesOf(path("a.pdf")).startsWith("%PDF-"));
    const QImage png(path("a.png"));
    exportTo(square(), QStringLiteral("png"), path("b.png"), 2);
    EXPECT_EQ(png.size(), QImage(path("b.png")).size()) << "as large as by the converter";
}

QAction* actionOf(const QMenu& menu, const QString& text) {
    for (QAction* action : menu.actions())
        if (action->text() == text) return action;
    return nullptr;
}

TEST_F(ExportTest, offersOnlyTheFormatsThereAre) {
    QWidget owner;
    QMenu menu;
    addExportActions(menu, owner, [] { return square(); });
    EXPECT_NE(actionOf(menu, QStringLiteral("Copy as image")), nullptr);
    EXPECT_NE(actionOf(menu, QStringLiteral("CSV…")), nullptr);
    ASSERT_NE(actionOf(menu, QStringLiteral("PNG")), nullptr);
    EXPECT_EQ(actionOf(menu, QStringLiteral("PNG"))->menu()->actions().size(), 4);
    EXPECT_EQ(actionOf(menu, QStringLiteral("DOT…")), nullptr);
}

TEST_F(ExportTest, copiesThePictureOntoTheClipboard) {
    QWidget owner;
    QMenu menu;
    addExportActions(menu, owner, [] { return square(); });
    QGuiApplication::clipboard()->clear();
    actionOf(menu, QStringLiteral("Copy as image"))->trigger();
    ASSERT_TRUE(test::waitUntil([] { return !QGuiApplication::clipboard()->image().isNull(); }));
    EXPECT_EQ(QGuiApplication::clipboard()->image().size(), QSize(40, 20));
}

TEST_F(ExportTest, savesThroughADialogUnderASafeName) {
    QWidget owner;
    QMenu menu;
    addExportActions(menu, owner, [] { return square(); });
    actionOf(menu, QStringLiteral("CSV…"))->trigger();
    auto* dialog = owner.findChild<QFileDialog*>();
    ASSERT_NE(dialog, nullptr);
    EXPECT_EQ(QFileInfo(dialog->selectedFiles().value(0)).fileName(), QStringLiteral("a-square.csv"));
    emit dialog->fileSelected(path("chosen.csv"));
    dialog->close();
    ASSERT_TRUE(test::waitUntil([&] { return !bytesOf(path("chosen.csv")).isEmpty(); }));
}

TEST_F(ExportTest, saysInASentenceWhatFailed) {
    QWidget owner;
    QMenu menu;
    addExportActions(menu, owner, [] {
        Exportable broken = square();
        broken.csv = []() -> std::string { throw FileError("the run is no longer there"); };
        return broken;
    });
    actionOf(menu, QStringLiteral("CSV…"))->trigger();
    auto* box = owner.findChild<QMessageBox*>();
    ASSERT_NE(box, nullptr);
    EXPECT_EQ(box->text(), QStringLiteral("the run is no longer there"));
}

}  // namespace
}  // namespace tessera::ui
