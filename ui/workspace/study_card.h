#pragma once

#include <QFrame>

#include "ui/workspace/library_data.h"

namespace tessera::ui {

/// A card of the welcome page: the question, a drawing of the fleet, Run and Open.
class StudyCardView : public QFrame {
    Q_OBJECT

public:
    explicit StudyCardView(const StudyCard& card, QWidget* parent = nullptr);

signals:
    void runRequested(const QString& studyJson);
    void openRequested(const QString& key);

protected:
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    StudyCard card_;
};

}  // namespace tessera::ui
