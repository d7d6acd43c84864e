#pragma once

#include <QVector>

#include "ui/models/recent_files.h"
#include "ui/views/document.h"
#include "ui/workspace/library_data.h"

class QGridLayout;
class QVBoxLayout;

namespace tessera::ui {

/// The first page: studies to try, what was open lately, how to begin.
class WelcomeDocument : public Document {
    Q_OBJECT

public:
    explicit WelcomeDocument(QWidget* parent = nullptr);
    QString kind() const override { return QStringLiteral("welcome"); }
    QString title() const override { return QStringLiteral("Welcome"); }
    QString iconName() const override { return QStringLiteral("home"); }

    void setRecent(const QVector<RecentFiles::Entry>& entries);

private:
    void setCards(const QVector<StudyCard>& cards);

    QGridLayout* cards_;
    QVBoxLayout* recent_;
};

}  // namespace tessera::ui
