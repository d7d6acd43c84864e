#pragma once

#include <QWidget>

class QSplitter;

namespace tessera::ui {

class ChoiceBar;

/// Two widgets side by side where there is room for both, from `kRoomForTwo` pixels on; elsewhere one of them, and a
/// switch.
class SideBySide : public QWidget {
    Q_OBJECT

public:
    static constexpr int kRoomForTwo = 1100;

    struct Side {
        QWidget* widget = nullptr;
        QString title;      ///< on the switch
        QString help = {};  ///< tooltip there
    };
    SideBySide(const Side& left, const Side& right, QWidget* parent = nullptr);

    /// Stands above the two until another layout takes it; hidden while both are seen.
    ChoiceBar* choice() const { return choice_; }
    bool isLeftShown() const;

signals:
    void arranged();  ///< other sides are shown than before

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();

    ChoiceBar* choice_;
    QSplitter* sides_;
};

}  // namespace tessera::ui
