#pragma once

#include <gtest/gtest.h>

#include <QSize>
#include <QTemporaryDir>
#include <QWidget>
#include <filesystem>
#include <memory>

#include "tests/support/controls.h"
#include "tests/support/pictures.h"
#include "ui/editors/editor_core.h"
#include "ui/views/document.h"

namespace tessera::test {

/// A user's folder that is thrown away with the test.
class OwnFolder {
public:
    OwnFolder() : before_(qgetenv("TESSERA_DATA")) { qputenv("TESSERA_DATA", folder_.path().toUtf8()); }
    ~OwnFolder() {
        if (before_.isEmpty())
            qunsetenv("TESSERA_DATA");
        else
            qputenv("TESSERA_DATA", before_);
    }
    OwnFolder(const OwnFolder&) = delete;
    OwnFolder& operator=(const OwnFolder&) = delete;
    std::filesystem::path path() const { return folder_.path().toStdString(); }

private:
    QTemporaryDir folder_;
    QByteArray before_;
};

/// Waits until the newest edit was checked.
inline void settle(const QWidget& document) {
    const auto* core = document.findChild<ui::EditorCore*>();
    EXPECT_TRUE(waitUntil([&] { return core != nullptr && core->isStarted() && !core->isChecking(); }));
}

/// A document on the screen, read and checked.
template <typename Document>
std::unique_ptr<Document> opened(const QString& key, QSize size) {
    auto document = std::make_unique<Document>(key);
    document->resize(size);
    document->show();
    EXPECT_TRUE(waitUntil([&] {
        const auto* core = document->template findChild<ui::EditorCore*>();
        return core != nullptr && core->isStarted();
    }));
    settle(*document);
    return document;
}

}  // namespace tessera::test
