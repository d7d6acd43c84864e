#pragma once

#include <QIcon>
#include <QVector>
#include <QWidget>

class QButtonGroup;
class QComboBox;
class QToolButton;

namespace tessera::ui {

class FlowLayout;

/// A line of things of which one is looked at: algorithms, models, accelerators. Many of them are a list to pick from.
/// Not there where there is nothing to choose.
class ChoiceBar : public QWidget {
    Q_OBJECT

public:
    struct Choice {
        QString title;
        QString help = {};  ///< tooltip
        QIcon icon = {};
    };
    /// Shows nothing where there are fewer than `min` choices.
    explicit ChoiceBar(const QString& name, int min = 2, QWidget* parent = nullptr);
    void setChoices(const QVector<Choice>& choices, int current);
    void setCurrent(int index);
    int current() const { return current_; }

signals:
    void chosen(int index);  ///< by the user, not by `setCurrent`

private:
    void addButtons(const QVector<Choice>& choices);
    void fillList(const QVector<Choice>& choices);

    QButtonGroup* buttons_;
    QComboBox* list_;
    FlowLayout* row_;
    int min_;
    int current_ = -1;
};

/// Checks one of a group of which one is checked, and lets Tab come to it alone: Qt gives Tab to the button that had
/// the focus last, which may be another one.
void check(QButtonGroup& group, int index);

/// A flat button that is switched on and off.
QToolButton* toggle(const QString& text, const QString& help = {}, QWidget* parent = nullptr);

}  // namespace tessera::ui
