#pragma once

#include <gtest/gtest.h>

#include <QSettings>
#include <QString>
#include <QTemporaryDir>
#include <nlohmann/json.hpp>

#include "core/study/study.h"
#include "tests/support/wait.h"
#include "ui/views/document.h"
#include "ui/workspace/history/history.h"
#include "ui/workspace/window/main_window.h"

namespace tessera::test {

/// The window as it opens on an empty history in a folder of its own, with fresh settings.
class OpenWindow : public testing::Test {
protected:
    void SetUp() override {
        QSettings().clear();
        window_.resize(1280, 800);
        window_.show();
        ASSERT_TRUE(waitUntil([&] { return window_.history().isOpen(); }));
    }
    void TearDown() override { QSettings().clear(); }

    /// Runs a study as the document in front would.
    void ask(const study::Study& study) {
        emit window_.currentDocument()->runRequested(QString::fromStdString(toText(study::toJson(study))));
    }

    QTemporaryDir folder_;
    ui::MainWindow window_{
        {.history = folder_.filePath("history.db").toStdString(), .restoreSession = false, .recordHistory = true}};
};

}  // namespace tessera::test
